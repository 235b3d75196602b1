package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// A disk that somebody else fills between two looks at it: what was acknowledged
// stays, the rest is refused for want of room, and it goes on when there is some.
// Nothing ends the process, also not a stop on the full disk.
func TestDiskFilledBySomebodyElse(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=400m"); err != nil {
		t.Skip("needs a file system of its own: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	o := testOptions(t)
	o.Dir = filepath.Join(dir, "data")
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	appendN(t, l, 1000)
	ballast := filepath.Join(dir, "ballast")
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() { untilFull(t, l) })
	}
	fillUp(t, ballast)
	callers.Wait()

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	l.space.check()
	appendN(t, l, 1000)
	size := l.Size()
	fillUp(t, ballast)
	if err := l.Close(); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("stopped on a full disk: %v", err)
	}
	if _, err := Open(t.Context(), o); !errors.Is(err, ErrNoSpace) && !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("started on a full disk: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	exited(t, l)
	l = openTest(t, o)
	if l.Size() != size+1 {
		t.Errorf("%d entries, expected %d and WriterStarted", l.Size(), size)
	}
}

// untilFull appends until there is no room.
func untilFull(t *testing.T, l *Ledger) {
	for i := 0; ; i++ {
		_, err := l.Append(call{tool: fmt.Sprint("tool", i), key: fmt.Sprintf("%p-%d", &i, i), filler: 2000}.proposal(t))
		if errors.Is(err, ErrNoSpace) {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// fillUp writes until the disk takes no more.
func fillUp(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for chunk := make([]byte, 1<<20); err == nil; {
		if _, err = f.Write(chunk); err != nil && len(chunk) > 1 {
			chunk, err = chunk[:len(chunk)/2], nil
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}
