//go:build !linux

package ledger

func (f osFile) Datasync() error { return f.Sync() }
