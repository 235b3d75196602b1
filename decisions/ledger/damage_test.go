package ledger

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

// stored is a closed ledger of a few segments, and where things stand in it.
func stored(t *testing.T) Options {
	t.Helper()
	o := testOptions(t)
	l := openTest(t, o)
	for range 30 {
		if _, err := l.Append(call{tool: "t", filler: 40_000}.proposal(t)); err != nil {
			t.Fatal(err)
		}
	}
	appendN(t, l, 300)
	if _, err := l.PutBlob([]byte("blob")); err != nil {
		t.Fatal(err)
	}
	closeTest(t, l)
	return l.opts
}

// copyDir copies a ledger, so that each case damages its own.
func copyOf(t *testing.T, o Options) Options {
	t.Helper()
	c := testOptions(t)
	for from, to := range map[string]string{o.Dir: c.Dir, o.KeyDir: c.Dir + ".keys"} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := c.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func edit(t *testing.T, name string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, change(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

func flipAt(offset int) func([]byte) []byte {
	return func(b []byte) []byte { b[offset] ^= 0x10; return b }
}

func flipEvery(from, to int) []func([]byte) []byte {
	var flips []func([]byte) []byte
	for at := from; at < to; at++ {
		flips = append(flips, flipAt(at))
	}
	return flips
}

// flipSome are flips at a prime distance.
func flipSome(from, to int) []func([]byte) []byte {
	var flips []func([]byte) []byte
	for at := from; at < to; at += 3001 {
		flips = append(flips, flipAt(at))
	}
	return flips
}

// cutAt are files that end too early.
func cutAt(sizes ...int) []func([]byte) []byte {
	var cuts []func([]byte) []byte
	for _, size := range sizes {
		cuts = append(cuts, func(b []byte) []byte { return b[:size] })
	}
	return cuts
}

// Every kind of damage is named by Verify, and by the next start where the start can
// see it; there is never a quiet start on a log that lost something.
func TestDamage(t *testing.T) {
	t.Parallel() // most of its time is the disk's
	o := stored(t)
	const first = "log/00000000.seg"
	firstFrame := segmentHeader
	for name, c := range map[string]struct {
		file    string
		changes []func([]byte) []byte
		want    error
		says    string
		// unseen: a start does not look there, or mends it; reading and Verify do.
		unseen bool
	}{
		"segment header":    {first, flipEvery(0, segmentCRCAt+4), ErrDamaged, "00000000.seg", false},
		"segment format":    {first, []func([]byte) []byte{newerFormat}, ErrNewer, "newer version", false},
		"segment cut":       {first, []func([]byte) []byte{func(b []byte) []byte { return b[:len(b)-1] }}, ErrDamaged, "00000000.seg", false},
		"frame header":      {first, flipEvery(firstFrame, firstFrame+frameHeader), ErrDamaged, "entry 0 ", true},
		"first entry":       {first, flipEvery(firstFrame+frameHeader, firstFrame+frameHeader+20), ErrDamaged, "entry 0 ", true},
		"within the log":    {first, []func([]byte) []byte{flipAt(100_000)}, ErrDamaged, "entry ", true},
		"behind the last":   {first, []func([]byte) []byte{func(b []byte) []byte { b[len(b)-1] = 1; return b }}, ErrDamaged, "00000000.seg", true},
		"last batch":        {"log/00000003.seg", []func([]byte) []byte{flipLast}, ErrRolledBack, "entry ", false},
		"payload":           {first, flipSome(firstFrame+frameHeader, 130_000), ErrDamaged, "entry ", true},
		"cut in a header":   {first, cutAt(0, 1, 60, 127), ErrDamaged, "00000000.seg", false},
		"cut in a frame":    {first, cutAt(firstFrame, firstFrame+1, firstFrame+30), ErrDamaged, "00000000.seg", false},
		"cut in a payload":  {first, cutAt(firstFrame+frameHeader, 50_000, 100_001), ErrDamaged, "00000000.seg", false},
		"last header":       {"log/00000003.seg", flipEvery(0, segmentCRCAt+4), ErrDamaged, "00000003.seg", false},
		"last cut":          {"log/00000003.seg", cutAt(0, 100, firstFrame, firstFrame+100, 20_000), ErrDamaged, "00000003.seg", false},
		"checkpoint":        {"checkpoint", flipEvery(0, 200), ErrDamaged, "checkpoint", false},
		"checkpoint cut":    {"checkpoint", cutAt(0, 1, 20, 50, 120, 200), ErrDamaged, "checkpoint", false},
		"sealed checkpoint": {"log/00000000.checkpoint", flipEvery(0, 200), ErrDamaged, "00000000.checkpoint", false},
		"sealed cut":        {"log/00000000.checkpoint", cutAt(0, 1, 50, 120), ErrDamaged, "00000000.checkpoint", false},
		"anchor":            {"../data.keys/anchor", flipEvery(0, 200), ErrDamaged, "anchor", false},
		"anchor cut":        {"../data.keys/anchor", cutAt(0, 1, 50, 120), ErrDamaged, "anchor", false},
		"public key":        {"../data.keys/checkpoint.pub", flipEvery(0, 100), ErrKeys, "checkpoint.pub", false},
		"public key cut":    {"../data.keys/checkpoint.pub", cutAt(0, 1, 60), ErrKeys, "checkpoint.pub", false},
	} {
		t.Run(name, func(t *testing.T) {
			o := copyOf(t, o)
			file := filepath.Join(o.Dir, c.file)
			whole, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, change := range c.changes {
				if err := os.WriteFile(file, change(bytes.Clone(whole)), 0o600); err != nil {
					t.Fatal(err)
				}
				_, err := Verify(context.Background(), VerifyOptions{Dir: o.Dir})
				if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.says) {
					t.Errorf("change %d: verify: got %v, expected %v naming %q", i, err, c.want, c.says)
				}
				if !c.unseen && i%16 == 0 {
					refuses(t, o, c.want)
				}
			}
		})
	}
}

// What only the writer has is looked at by a start: a key that is damaged is named, and
// no other one is made.
func TestDamagedKeys(t *testing.T) {
	o := stored(t)
	for _, file := range []string{signingFile, digestFile} {
		t.Run(file, func(t *testing.T) {
			o := copyOf(t, o)
			name := filepath.Join(o.KeyDir, file)
			whole, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, change := range append(flipEvery(0, len(whole)-1), cutAt(0, 1, len(whole)/2, len(whole)-3)...) {
				damaged := change(bytes.Clone(whole))
				if strings.EqualFold(string(damaged), string(whole)) {
					continue // hex digits in another case are the same key
				}
				if err := os.WriteFile(name, damaged, 0o600); err != nil {
					t.Fatal(err)
				}
				l, err := Open(t.Context(), o)
				if !errors.Is(err, ErrKeys) || !strings.Contains(fmt.Sprint(err), file) {
					t.Errorf("change %d: got %v, expected ErrKeys naming %s", i, err, file)
				}
				if err == nil {
					_ = l.Close()
				}
			}
		})
	}
}

// A blob that is damaged is named by who reads it, by Verify, and by the scrub.
func TestDamagedBlob(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	blob := appendPolicy(t, l)
	closeTest(t, l)
	o = l.opts
	name := blobPath(o.blobDir(), blob)
	for what, change := range map[string]func([]byte) []byte{"a flipped bit": flipAt(3), "cut": cutAt(4)[0], "emptied": cutAt(0)[0]} {
		t.Run(what, func(t *testing.T) {
			o := copyOf(t, o)
			edit(t, blobPath(o.blobDir(), blob), change)
			if _, err := readBlob(o.FS, o.blobDir(), blob); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), filepath.Base(name)) {
				t.Errorf("reading: %v", err)
			}
			if _, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir}); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), filepath.Base(name)) {
				t.Errorf("verifying: %v", err)
			}
			o.NoScrub = false
			l, err := Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			<-l.Done()
			if err := l.Close(); !errors.Is(err, ErrDamaged) {
				t.Errorf("scrubbed: %v", err)
			}
		})
	}
}

func newerFormat(b []byte) []byte {
	b[11] = 2
	binary.BigEndian.PutUint32(b[segmentCRCAt:], crc32.Checksum(b[:segmentCRCAt], castagnoli()))
	return b
}

// flipLast changes a byte of the last batch.
func flipLast(b []byte) []byte {
	end := len(bytes.TrimRight(b, "\x00"))
	b[end-1] ^= 0x10
	return b
}

func refuses(t *testing.T, o Options, want error) {
	t.Helper()
	l, err := Open(context.Background(), o)
	if !errors.Is(err, want) {
		t.Errorf("open: got %v, expected %v", err, want)
	}
	if err == nil {
		_ = l.Close()
	}
}

// Damage that a start does not look for is found when the entry is read.
func TestReadChecksTheLeaf(t *testing.T) {
	o := copyOf(t, stored(t))
	name := segmentName(o.logDir(), 0)
	edit(t, name, func(b []byte) []byte { // with a right checksum: only the tree knows
		at := bytes.Index(b, []byte("Because t."))
		copy(b[at:], "Becausee")
		s := scanner{file: memory(b)}
		h, _ := parseHeader(b)
		for offset := int64(segmentHeader); ; {
			head, _ := s.peek(offset, frameHeader)
			size, err := frameSize(head, h.mark)
			if err != nil {
				return b
			}
			f := b[offset : offset+int64(size)]
			sealFrame(f, h.mark, beUint64(f[16:]), int(beUint32(f[12:])), [32]byte(f[24:56]))
			offset += int64(size)
		}
	})
	l, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Entry(2); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "entry 2 ") {
		t.Errorf("got %v, expected ErrDamaged naming entry 2", err)
	}
	if _, err := l.Entry(4); err != nil {
		t.Errorf("its neighbour: %v", err)
	}
}

func TestMissingFiles(t *testing.T) {
	o := stored(t)
	for file, want := range map[string]error{
		"log/00000000.seg":            ErrDamaged,
		"log/00000001.seg":            ErrDamaged,
		"../data.keys/checkpoint.key": ErrKeys,
		"../data.keys/digest.key":     ErrKeys,
	} {
		t.Run(file, func(t *testing.T) {
			o := copyOf(t, o)
			if err := os.Remove(filepath.Join(o.Dir, file)); err != nil {
				t.Fatal(err)
			}
			refuses(t, o, want)
		})
	}
	t.Run("whole log", func(t *testing.T) {
		o := copyOf(t, o)
		if err := os.RemoveAll(o.Dir); err != nil {
			t.Fatal(err)
		}
		refuses(t, o, ErrRolledBack)
	})
	t.Run("last segments", func(t *testing.T) {
		o := copyOf(t, o)
		for _, name := range []string{"log/00000004.seg", "log/00000003.seg"} {
			if err := os.Remove(filepath.Join(o.Dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		refuses(t, o, ErrRolledBack)
		if _, err := Verify(context.Background(), VerifyOptions{Dir: o.Dir}); !errors.Is(err, ErrRolledBack) {
			t.Errorf("verify: got %v, expected ErrRolledBack", err)
		}
	})
}

// R34: an old copy of the directory put back is refused by the anchor.
func TestOldCopy(t *testing.T) {
	o := stored(t)
	old := t.TempDir()
	if err := os.CopyFS(filepath.Join(old, "data"), os.DirFS(o.Dir)); err != nil {
		t.Fatal(err)
	}
	l := openTest(t, o)
	appendN(t, l, 3)
	closeTest(t, l)
	o.Dir, o.FS = filepath.Join(old, "data"), nil
	refuses(t, o, ErrRolledBack)
	if _, err := Verify(context.Background(), VerifyOptions{Dir: o.Dir, KeyDir: o.KeyDir}); !errors.Is(err, ErrRolledBack) {
		t.Errorf("verify: got %v, expected ErrRolledBack", err)
	}
}

// A torn last batch, never acknowledged, is dropped and its bytes are zeroed.
func TestTornBatch(t *testing.T) {
	o := stored(t)
	name := segmentName(o.logDir(), 3)
	h, end := header{}, 0
	edit(t, name, func(b []byte) []byte {
		h, _ = parseHeader(b)
		end = len(bytes.TrimRight(b, "\x00"))
		copy(b[end:], h.mark[:])
		copy(b[end+4000:], "half of a batch")
		return b
	})
	if r := verifyTest(t, o); r.TornBytes != 4015 {
		t.Errorf("verify: %d torn bytes, expected 4015", r.TornBytes)
	}
	l := openTest(t, o)
	var last Record
	for r, err := range l.Select(t.Context(), decisions.Query{Start: l.Size()}) {
		if err != nil {
			t.Fatal(err)
		}
		last = r
		break
	}
	if got := last.Entry.GetWriterStarted().GetDroppedBytes(); got != 4015 {
		t.Errorf("the log says that %d bytes were dropped, expected 4015", got)
	}
	if b, err := os.ReadFile(name); err != nil || bytes.Contains(b, []byte("half of a batch")) {
		t.Errorf("the torn bytes are still there: %v", err)
	}
}
