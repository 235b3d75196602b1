//go:build unix

package fetch

import (
	"os/exec"
	"syscall"
)

// ownGroup lets killGroup reach what the server started: package runners leave the
// real server running when only they are killed.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func killGroup(cmd *exec.Cmd) error {
	return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
