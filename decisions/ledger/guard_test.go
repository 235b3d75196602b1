package ledger

import (
	"os"
	"path/filepath"
	"testing"
)

// An index whose files were cut short under it is an error of whoever reads, and is
// rebuilt at the next start; it does not end the process by a fault.
func TestIndexFileCutShort(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	keyed(t, l, 2*tileWidth)
	closeTest(t, l)
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(l.opts.indexDir(), "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatal("no tables: ", err)
	}
	for _, name := range tables {
		if err := os.Truncate(name, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Entry(0); err == nil {
		t.Error("read from an index whose files are gone")
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := l.index.db.Close(); err != nil { // what a process leaves to its end
		t.Log(err)
	}
	l = openTest(t, o)
	if _, err := l.Entry(0); err != nil {
		t.Error(err)
	}
}
