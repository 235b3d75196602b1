package ledger

import (
	"os"

	"golang.org/x/sys/unix"
)

func (f osFile) Datasync() error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if err == nil {
			return nil
		}
		if err != unix.EINTR { //nolint:errorlint // a bare errno
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
