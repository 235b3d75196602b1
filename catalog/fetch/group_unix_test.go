//go:build unix

package fetch

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// leaveBehind starts a process in a session of its own that holds this one's
// standard output and error, and says its number. It ends by itself.
func leaveBehind() string {
	c := exec.Command("sleep", "45")
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		return `"error":{"code":1,"message":"` + err.Error() + `"}`
	}
	return `"result":{"tools":[],"left":` + strconv.Itoa(c.Process.Pid) + `}`
}

// The list is there, so what the server left running keeps nobody waiting.
func TestWhoHoldsThePipeIsNotWaitedFor(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(scriptVariable, "- leave behind")
	finished := make(chan error, 1)
	go func() {
		pages, err := Stdio(t.Context(), Options{Command: []string{self}, Timeout: time.Hour})
		if err == nil {
			err = endLeftBehind(string(pages[0]))
		}
		finished <- err
	}()
	select {
	case err = <-finished:
	case <-time.After(25 * time.Second):
		err = errors.Join(errors.New("waited for a process outside of the server's group"), <-finished)
	}
	if err != nil {
		t.Error(err)
	}
}

// endLeftBehind fails where nothing was left: then the test proved nothing.
func endLeftBehind(page string) error {
	m := regexp.MustCompile(`"left":(\d+)`).FindStringSubmatch(page)
	if m == nil {
		return errors.New("nothing was left behind: " + page)
	}
	pid, err := strconv.Atoi(m[1])
	if err != nil {
		return err
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}
