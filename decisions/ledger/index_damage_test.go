package ledger

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ/decisions"
)

// damageChild makes the test do its work: in a process of its own.
const damageChild = "WRIT_LEDGER_DAMAGE_CHILD"

// Whatever becomes of a file of the index, the log opens with the same keys and entries:
// what was damaged is built anew, at the latest at the start after the one that found it
// and said so. (Badger alone would open with a part of what it had.)
func TestIndexDamage(t *testing.T) {
	t.Parallel() // most of its time is the disk's
	if os.Getenv(damageChild) == "" {
		child := exec.Command(os.Args[0], "-test.run", "^TestIndexDamage$") //nolint:gosec // this very test
		child.Env = append(os.Environ(), damageChild+"=1", "TMPDIR="+t.TempDir())
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	defer func() {
		if !t.Failed() { // and what Badger leaves running, where it could not open, ends with the process
			os.Exit(0)
		}
	}()
	o := testOptions(t)
	l := openTest(t, o)
	keyed(t, l, 700)
	want := knownKeys(t, l)
	closeTest(t, l)
	o = l.opts
	files, err := os.ReadDir(o.indexDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() == "LOCK" {
			continue
		}
		t.Run(f.Name(), func(t *testing.T) {
			whole, err := os.ReadFile(filepath.Join(o.indexDir(), f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			for name, change := range damages(len(bytes.TrimRight(whole, "\x00")), len(whole)) {
				o := copyOf(t, o)
				if err := os.WriteFile(filepath.Join(o.indexDir(), f.Name()), change(bytes.Clone(whole)), 0o600); err != nil {
					t.Fatal(err)
				}
				err := sameLog(t, o, want)
				if err != nil && strings.Contains(err.Error(), "start again, it will be rebuilt") {
					err = sameLog(t, o, want)
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// sameLog opens the log and says what is not as it was.
func sameLog(t *testing.T, o Options, want map[int]decisions.KeyRecord) error {
	l, err := Open(t.Context(), o)
	if err != nil {
		return err
	}
	defer l.Close()
	for _, err := range l.Entries(0, l.Size()) {
		if err != nil {
			return err
		}
	}
	if diff := cmp.Diff(want, knownKeys(t, l)); diff != "" {
		return fmt.Errorf("keys: %s", diff)
	}
	return nil
}

// An index at which a process ended while it opened it is not opened again: it would end
// the next one too.
func TestIndexThatEndsTheProcess(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	keyed(t, l, 700)
	want := knownKeys(t, l)
	closeTest(t, l)
	var said bytes.Buffer
	o.Logger = slog.New(slog.NewTextHandler(&said, nil))
	mark := filepath.Join(o.Dir, "index.opening")
	must(t, os.WriteFile(mark, nil, 0o600))
	if err := sameLog(t, o, want); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mark); err == nil || !strings.Contains(said.String(), errCrashed.Error()) {
		t.Errorf("the mark is there: %v; said %s", err == nil, &said)
	}
}

// damages are what can happen to a file: a bit flipped at some places of what is used,
// and cuts.
func damages(used, size int) map[string]func([]byte) []byte {
	all := map[string]func([]byte) []byte{"emptied": cutAt(0)[0], "cut by one": cutAt(max(size-1, 0))[0], "cut to half": cutAt(used / 2)[0]}
	for i := range 12 {
		if at := used * i / 12; at < used {
			all[fmt.Sprint("a bit at ", at)] = flipAt(at)
		}
	}
	return all
}
