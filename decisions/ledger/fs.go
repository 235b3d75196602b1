package ledger

import (
	"io"
	"io/fs"
)

// FS is the disk as the ledger sees it. The default is the operating system's; a
// simulated one can lose, tear and refuse. Safe for concurrent use.
type FS interface {
	// OpenFile opens as os.OpenFile does.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// Mkdir makes one directory; fs.ErrExist where there is one.
	Mkdir(name string, perm fs.FileMode) error
	ReadDir(name string) ([]fs.DirEntry, error)
	// Rename replaces newname atomically. Durable after SyncDir.
	Rename(oldname, newname string) error
	// Remove removes a file. Durable after SyncDir.
	Remove(name string) error
	// SyncDir makes the directory's names durable.
	SyncDir(name string) error
	// Free returns the bytes that can still be written below a directory.
	Free(name string) (uint64, error)
	// Lock takes an exclusive lock on a file and holds it until closed or until the
	// process dies. ErrInUse where another holds it.
	Lock(name string) (io.Closer, error)
}

// File is an open file. What was written is durable only after a nil from Sync or
// Datasync.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Sync makes content and metadata durable.
	Sync() error
	// Datasync makes content durable, and of the metadata what reading it needs.
	Datasync() error
	Truncate(size int64) error
	Size() (int64, error)
}
