package ledger

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// closeOn closes a ledger on a disk of its own, and verifies it.
func closeOn(t *testing.T, l *Ledger, disk FS) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Verify(context.Background(), VerifyOptions{Dir: l.opts.Dir, FS: disk}); err != nil {
		t.Error(err)
	}
}

// exited makes of a ledger that was stopped on a full disk what the next process finds:
// the index as it was left, with nobody at it. There must be room by now.
func exited(t *testing.T, l *Ledger) {
	t.Helper()
	aside := filepath.Join(t.TempDir(), "index")
	if err := os.CopyFS(aside, os.DirFS(l.opts.indexDir())); err != nil {
		t.Fatal(err)
	}
	if err := l.index.close(); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(l.opts.indexDir()); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(l.opts.indexDir(), os.DirFS(aside)); err != nil {
		t.Fatal(err)
	}
}

// A start on a full disk is refused in words: the index maps files that the disk has
// no room for.
func TestStartOnAFullDisk(t *testing.T) {
	o := testOptions(t)
	disk := newSimDisk()
	disk.free = indexNeeds - 1
	o.FS = disk
	if _, err := Open(context.Background(), o); !errors.Is(err, ErrNoSpace) || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("got %v", err)
	}
}

// The index takes nothing in while there is no room for it, although nobody has
// noticed yet that there is none; it goes on by itself when there is.
func TestIndexWaitsForRoom(t *testing.T) {
	o := testOptions(t)
	disk := newSimDisk()
	o.FS = disk
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	appendN(t, l, tileWidth-10)
	disk.setFree(indexNeeds - 1)
	for range 20 { // ends the tile; the indexer may refuse the last of these
		if _, err := l.Append(call{tool: "t"}.proposal(t)); err != nil && !errors.Is(err, ErrNoSpace) {
			t.Fatal(err)
		}
	}
	for !l.space.low.Load() {
		if l.tail.lag() < tileWidth {
			t.Fatal("the index took a tile in")
		}
	}
	disk.setFree(1 << 40)
	l.space.check()
	for l.tail.lag() >= tileWidth {
		if err := l.Err(); err != nil {
			t.Fatal(err)
		}
	}
	closeOn(t, l, disk)
}

// A stop on a full disk leaves the index alone, and the next start has every entry.
func TestStopOnAFullDisk(t *testing.T) {
	var said bytes.Buffer
	o := testOptions(t)
	disk := newSimDisk()
	o.FS, o.Logger = disk, slog.New(slog.NewTextHandler(&said, nil))
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	appendN(t, l, 2*tileWidth)
	size := l.Size()
	disk.setFree(0)
	if err := l.Close(); err != nil || !strings.Contains(said.String(), "catches up at the next start") {
		t.Errorf("%v, said %s", err, said.String())
	}
	disk.setFree(1 << 40)
	exited(t, l)
	if l, err = Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if l.Size() != size+1 {
		t.Errorf("%d entries, expected %d and WriterStarted", l.Size(), size)
	}
	closeOn(t, l, disk)
}
