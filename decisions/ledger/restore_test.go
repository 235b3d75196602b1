package ledger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// asked asks under an idempotency key.
func asked(t *testing.T, l *Ledger, key string, outcome decisions.Outcome) decisions.Receipt {
	t.Helper()
	r, err := l.Append(call{tool: "t", key: key, request: key, outcome: outcome, code: "c", life: 3600e9}.proposal(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func report(t *testing.T, l *Ledger, decision string, result ledgerv1.Result) {
	t.Helper()
	body, err := proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_OutcomeReported{OutcomeReported: &ledgerv1.OutcomeReported{DecisionId: decision, Result: result}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(decisions.Proposal{Body: body}); err != nil {
		t.Fatal(err)
	}
}

// lostDisk is a log with keys "run", "refused" and "late" that was backed up; then it
// went on, and its data directory is gone. Its keys and anchor are there.
func lostDisk(t *testing.T) (o Options, backup string, old *Ledger) {
	t.Helper()
	o = testOptions(t)
	backup = filepath.Join(t.TempDir(), "backup")
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	asked(t, l, "run", decisions.Run)
	asked(t, l, "refused", decisions.Refuse)
	asked(t, l, "late", decisions.Run)
	appendBlobs(t, l, 0, 40)
	mustCheckpoint(t, l)
	backupTest(t, o, backup)
	appendN(t, l, 5)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(o.Dir); err != nil {
		t.Fatal(err)
	}
	return o, backup, l
}

func mustRestore(t *testing.T, o RestoreOptions) RestoreReport {
	t.Helper()
	o.segmentBytes = minSegmentBytes
	r, err := Restore(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// R27, R28, R33: a restored log is a new epoch that knows what the old one permitted,
// says what it goes on from, and which entries are known to be lost.
func TestRestore(t *testing.T) {
	o, backup, old := lostDisk(t)
	r := mustRestore(t, RestoreOptions{Backup: backup, Dir: o.Dir, Actor: "op", By: "os"})
	if r.OldLogID != old.LogID() || r.LogID == r.OldLogID || r.Keys != 3 || r.Entries != old.Size()-5 || r.Lost != 5 {
		t.Errorf("%+v of a log of %d entries", r, old.Size())
	}
	l := openTest(t, o)
	first, err := l.Entry(0)
	if said := first.Entry.GetLogCreated().GetRestored(); err != nil || said.GetLogId() != old.LogID() || said.GetSize() != r.Entries || said.GetActor().GetName() != "op" {
		t.Errorf("entry 0 says %v, %v", said, err)
	}
	if l.DigestKey() != old.DigestKey() || l.VerifierKey() == old.VerifierKey() {
		t.Error("expected the old digest key and a new signing key")
	}
	report(t, l, decisions.DecisionID(old.LogID(), 4), ledgerv1.Result_RESULT_SUCCEEDED)
	for _, c := range []struct {
		key     string
		judged  decisions.Outcome
		outcome decisions.Outcome
		first   uint64
		result  ledgerv1.Result
	}{
		{"run", decisions.Run, decisions.Run, 2, ledgerv1.Result_RESULT_UNKNOWN},
		{"refused", decisions.Run, decisions.Refuse, 3, ledgerv1.Result_RESULT_NOT_PERMITTED},
		{"late", decisions.Run, decisions.Run, 4, ledgerv1.Result_RESULT_SUCCEEDED},
	} {
		s := asked(t, l, c.key, c.judged).Settlement
		if s.GetDecisionId() != decisions.DecisionID(old.LogID(), c.first) || decisions.RecordedOutcome(s.GetOutcome()) != c.outcome || s.GetFirstResult() != c.result {
			t.Errorf("a repeat of %q: %v", c.key, s)
		}
	}
	if s := asked(t, l, "new", decisions.Run).Settlement; s != nil {
		t.Errorf("a new key: %v", s)
	}
	closeTest(t, l)
	v := verifyTest(t, o)
	if len(v.Epochs) != 1 || v.Epochs[0] != (EpochReport{old.LogID(), r.Entries, 5}) {
		t.Errorf("Verify found the epochs %+v", v.Epochs)
	}
	alone, err := Verify(t.Context(), VerifyOptions{Dir: filepath.Join(o.Dir, epochsDir, old.LogID()), VerifierKey: old.VerifierKey()})
	if err != nil || alone.Entries != r.Entries {
		t.Errorf("the old epoch by its own key: %+v, %v", alone, err)
	}
}

// The index of a restored log can be lost as any other's.
func TestRestoredIndexIsRebuilt(t *testing.T) {
	o, backup, old := lostDisk(t)
	mustRestore(t, RestoreOptions{Backup: backup, Dir: o.Dir})
	l := openTest(t, o)
	appendN(t, l, 600) // so that the index moves on
	closeTest(t, l)
	if err := os.RemoveAll(l.opts.indexDir()); err != nil {
		t.Fatal(err)
	}
	l = openTest(t, o)
	if s := asked(t, l, "refused", decisions.Run).Settlement; s.GetDecisionId() != decisions.DecisionID(old.LogID(), 3) {
		t.Errorf("after a rebuild: %v", s)
	}
}

// Restored again, from a backup that has an epoch: the chain is whole, and a repeat of
// the first epoch is one in the third.
func TestRestoreTwice(t *testing.T) {
	o, backup, first := lostDisk(t)
	mustRestore(t, RestoreOptions{Backup: backup, Dir: o.Dir})
	l := openTest(t, o)
	asked(t, l, "second", decisions.Run)
	second := l.LogID()
	closeTest(t, l)
	again, keys := filepath.Join(t.TempDir(), "again"), filepath.Join(t.TempDir(), "keys")
	if _, err := Backup(t.Context(), BackupOptions{Dir: o.Dir, To: again, KeysTo: keys}); err != nil {
		t.Fatal(err)
	}
	elsewhere := testOptions(t)
	r := mustRestore(t, RestoreOptions{Backup: again, Dir: elsewhere.Dir, OldKeys: keys})
	if r.Keys != 4 || r.Lost != 0 {
		t.Errorf("%+v", r)
	}
	l = openTest(t, elsewhere)
	if got := fmt.Sprint(l.Epochs()); got != fmt.Sprint([]string{second, first.LogID()}) {
		t.Errorf("epochs %s", got)
	}
	for key, want := range map[string]string{"run": decisions.DecisionID(first.LogID(), 2), "second": decisions.DecisionID(second, 3)} {
		if s := asked(t, l, key, decisions.Run).Settlement; s.GetDecisionId() != want {
			t.Errorf("a repeat of %q: %v, expected %s", key, s, want)
		}
	}
	closeTest(t, l)
	if v := verifyTest(t, elsewhere); len(v.Epochs) != 2 {
		t.Errorf("Verify found the epochs %+v", v.Epochs)
	}
}

// An earlier epoch that was touched, or taken away, is named; the present one can be
// verified without.
func TestEpochsAreVerified(t *testing.T) {
	old := openTest(t, testOptions(t))
	backup, longer := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "longer")
	appendBlobs(t, old, 0, 40)
	mustCheckpoint(t, old)
	backupTest(t, old.opts, backup)
	appendN(t, old, 3)
	mustCheckpoint(t, old)
	backupTest(t, old.opts, longer)
	whole := testOptions(t)
	mustRestore(t, RestoreOptions{Backup: backup, Dir: whole.Dir, OldKeys: old.opts.KeyDir})
	whole, err := whole.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	epoch := filepath.Join(epochsDir, old.LogID())
	for name, change := range map[string]func(dir string) error{
		"an entry":       func(dir string) error { return flipFile(filepath.Join(dir, epoch, "log/00000000.seg"), 300) },
		"its checkpoint": func(dir string) error { return flipFile(filepath.Join(dir, epoch, "checkpoint"), 60) },
		"gone":           func(dir string) error { return os.RemoveAll(filepath.Join(dir, epoch)) },
		"a segment gone": func(dir string) error { return os.Remove(filepath.Join(dir, epoch, "log/00000001.seg")) },
		"one that went on": func(dir string) error {
			if err := os.CopyFS(filepath.Join(dir, "x"), os.DirFS(longer)); err != nil {
				return err
			}
			if err := os.Rename(filepath.Join(dir, epoch, "checkpoint"), filepath.Join(dir, "x", "checkpoint")); err != nil {
				return err
			}
			return errors.Join(os.RemoveAll(filepath.Join(dir, epoch)), os.Rename(filepath.Join(dir, "x"), filepath.Join(dir, epoch)))
		},
		"put in its place": func(dir string) error {
			if err := os.RemoveAll(filepath.Join(dir, epoch)); err != nil {
				return err
			}
			return os.CopyFS(filepath.Join(dir, epoch), os.DirFS(stored(t).Dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := copyOf(t, whole)
			if err := change(o.Dir); err != nil {
				t.Fatal(err)
			}
			if _, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir}); err == nil || !strings.Contains(err.Error(), old.LogID()) {
				t.Errorf("it verifies with %v", err)
			}
			if _, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir, PresentOnly: true}); err != nil {
				t.Errorf("the present epoch: %v", err)
			}
		})
	}
}

func flipFile(name string, at int) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	b[at] ^= 1
	return os.WriteFile(name, b, 0o600)
}

// What could not be right is refused, and says what to do.
func TestRestoreRefuses(t *testing.T) {
	o, backup, _ := lostDisk(t)
	other := stored(t)
	damaged := filepath.Join(t.TempDir(), "damaged")
	if err := os.CopyFS(damaged, os.DirFS(backup)); err != nil {
		t.Fatal(err)
	}
	if err := flipFile(filepath.Join(damaged, "log/00000000.seg"), 400); err != nil {
		t.Fatal(err)
	}
	none := t.TempDir()
	for name, c := range map[string]struct {
		o    RestoreOptions
		want error
		says string
	}{
		"over a log":            {RestoreOptions{Backup: backup, Dir: other.Dir, OldKeys: o.Dir + ".keys", KeyDir: filepath.Join(none, "k")}, ErrBackup, "move it aside"},
		"over another's keys":   {RestoreOptions{Backup: backup, Dir: filepath.Join(none, "a"), OldKeys: o.Dir + ".keys", KeyDir: other.KeyDir}, ErrKeys, "name another directory"},
		"with another's keys":   {RestoreOptions{Backup: backup, Dir: filepath.Join(none, "b"), OldKeys: other.KeyDir}, ErrKeys, "not one that the backup knows"},
		"without keys":          {RestoreOptions{Backup: backup, Dir: filepath.Join(none, "c")}, ErrKeys, "digest key"},
		"of a damaged backup":   {RestoreOptions{Backup: damaged, Dir: filepath.Join(none, "d"), OldKeys: o.Dir + ".keys"}, ErrDamaged, "entry"},
		"of a backup in itself": {RestoreOptions{Backup: backup, Dir: filepath.Join(backup, "x"), OldKeys: o.Dir + ".keys"}, ErrOptions, "apart"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Restore(t.Context(), c.o); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A copy that is put back by hand has no way on: the anchor and the mark both say where
// the way is.
func TestPutBackByHand(t *testing.T) {
	o, backup, _ := lostDisk(t)
	if err := os.CopyFS(o.Dir, os.DirFS(backup)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), o); !errors.Is(err, ErrBackup) || !strings.Contains(err.Error(), "writ log restore") {
		t.Errorf("with the mark: %v", err)
	}
	if err := os.Remove(filepath.Join(o.Dir, backupMark)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), o); !errors.Is(err, ErrRolledBack) || !strings.Contains(err.Error(), "writ log restore") {
		t.Errorf("without it: %v", err)
	}
}

// A restore that is cut short at any operation of the disk starts no service, and run
// again is whole, under whatever id was begun.
func TestRestoreCutShort(t *testing.T) {
	t.Parallel()
	o, disk := testOptions(t), newSimDisk()
	o.FS = disk
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	asked(t, l, "run", decisions.Run)
	appendBlobs(t, l, 0, 5)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	short := 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 9))
		options := RestoreOptions{Backup: o.Dir, Dir: filepath.Join(t.TempDir(), "data"), OldKeys: o.Dir + ".keys", FS: disk, segmentBytes: minSegmentBytes}
		started := Options{Dir: options.Dir, SegmentBytes: minSegmentBytes, ReserveBytes: 1, NoScrub: true}
		cause := []error{syscall.EIO, syscall.ENOSPC}[seed%2]
		disk.fault = after(r.IntN(200), cause)
		if _, err = Restore(t.Context(), options); err != nil && !errors.Is(err, cause) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		disk.fault = nil
		if errors.Is(cause, syscall.EIO) {
			disk = disk.crash(r)
		}
		options.FS, started.FS = disk, disk
		if marked, _ := exists(disk, filepath.Join(options.Dir, unfinishedMark)); marked {
			short++
			if _, err := Open(t.Context(), started); !errors.Is(err, ErrUnfinished) {
				t.Fatalf("seed %d: a service starts on half a restore: %v", seed, err)
			}
		}
		if err != nil {
			mustRestore(t, options)
		}
		l, err := Open(t.Context(), started)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if s := asked(t, l, "run", decisions.Run).Settlement; s.GetFirstSequence() != 2 {
			t.Errorf("seed %d: the repeat is settled %v", seed, s)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if v, err := Verify(t.Context(), VerifyOptions{Dir: options.Dir, FS: disk}); err != nil || len(v.Epochs) != 1 {
			t.Fatalf("seed %d: %v, %+v", seed, err, v)
		}
	}
	if short < 6 {
		t.Errorf("only %d restores were cut short", short)
	}
}

// R35: what was erased after the keys were copied stays erased.
func TestRestoreErasesAgain(t *testing.T) {
	o := testOptions(t)
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	sequence := mustAppendItem(t, l, "personal")
	key := keyBytes(t, l, sequence)
	root := t.TempDir()
	backup, keys := filepath.Join(root, "backup"), filepath.Join(root, "keys")
	mustCheckpoint(t, l)
	if _, err := Backup(t.Context(), BackupOptions{Dir: o.Dir, To: backup, KeysTo: keys}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Erase(sequence, nil, "asked for"); err != nil {
		t.Fatal(err)
	}
	mustCheckpoint(t, l)
	backupTest(t, o, backup)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	restored := testOptions(t)
	mustRestore(t, RestoreOptions{Backup: backup, Dir: restored.Dir, OldKeys: keys})
	if files := filesWith(t, filepath.Dir(restored.Dir), key); len(files) > 0 {
		t.Errorf("its key is back in %v", files)
	}
	if files := filesWith(t, keys, key); len(files) == 0 {
		t.Error("its key was not in the copy: this proves nothing")
	}
	closeTest(t, openTest(t, restored))
}

// The verifier in another language follows the epochs, and finds damage in them.
func TestAnotherLanguageVerifiesEpochs(t *testing.T) {
	requireNode(t)
	o, backup, old := lostDisk(t)
	r := mustRestore(t, RestoreOptions{Backup: backup, Dir: o.Dir})
	out, complaint := byStranger(t, o, r.VerifierKey)
	if want := fmt.Sprintf(`"epochs":[{"log_id":"%s","entries":%d}]`, old.LogID(), r.Entries); complaint != "" || !strings.Contains(out, want) {
		t.Errorf("it says %q and %q, expected %s", out, complaint, want)
	}
	epoch := o
	epoch.Dir = filepath.Join(o.Dir, epochsDir, old.LogID())
	if _, complaint := byStranger(t, epoch, old.VerifierKey()); complaint != "" {
		t.Errorf("the old epoch by its own key: %s", complaint)
	}
	if err := flipFile(filepath.Join(epoch.Dir, "log/00000000.seg"), 300); err != nil {
		t.Fatal(err)
	}
	if _, complaint := byStranger(t, o, r.VerifierKey); !strings.Contains(complaint, "entry 0") {
		t.Errorf("a bit of the epoch flipped, and it says %q", complaint)
	}
}

// A lost signing key ends no history: the data directory itself, moved aside, is what the
// next epoch goes on from.
func TestRestoreWithoutSigningKey(t *testing.T) {
	o := testOptions(t)
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	asked(t, l, "run", decisions.Run)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(l.opts.KeyDir, signingFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), o); !errors.Is(err, ErrKeys) {
		t.Errorf("a start without it: %v", err)
	}
	next := testOptions(t)
	if r := mustRestore(t, RestoreOptions{Backup: o.Dir, Dir: next.Dir, OldKeys: l.opts.KeyDir}); r.Entries != l.Size() || r.Lost != 0 {
		t.Errorf("%+v of %d entries", r, l.Size())
	}
	if s := asked(t, openTest(t, next), "run", decisions.Run).Settlement; s.GetDecisionId() != decisions.DecisionID(l.LogID(), 2) {
		t.Errorf("a repeat: %v", s)
	}
}

// A pruned log is backed up, restored, and pruned again: the chain verifies, here and in
// another language, and a key from before it all is known.
func TestRestoreOfPruned(t *testing.T) {
	requireNode(t)
	o := testOptions(t)
	backup := filepath.Join(t.TempDir(), "backup")
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	asked(t, l, "run", decisions.Run)
	appendBlobs(t, l, 0, 80)
	mustPrune(t, l, pruneAll())
	mustCheckpoint(t, l)
	if _, r := backupTest(t, o, backup); r.First == 0 || r.Pruned == nil {
		t.Fatalf("nothing was pruned: %+v", r)
	}
	old := l.LogID()
	if err := errors.Join(l.Close(), os.RemoveAll(o.Dir)); err != nil {
		t.Fatal(err)
	}
	r := mustRestore(t, RestoreOptions{Backup: backup, Dir: o.Dir})
	l = openTest(t, o)
	appendBlobs(t, l, 100, 80)
	mustPrune(t, l, pruneAll())
	mustCheckpoint(t, l)
	if _, complaint := byStranger(t, o, r.VerifierKey); complaint != "" {
		t.Errorf("the verifier in another language: %s", complaint)
	}
	second := filepath.Join(t.TempDir(), "second")
	if _, v := backupTest(t, o, second); v.First == 0 || len(v.Epochs) != 1 {
		t.Errorf("the backup of it: %+v", v)
	}
	closeTest(t, l)
	if err := os.RemoveAll(l.opts.indexDir()); err != nil {
		t.Fatal(err)
	}
	l = openTest(t, o)
	if s := asked(t, l, "run", decisions.Run).Settlement; s.GetDecisionId() != decisions.DecisionID(old, 2) || s.GetFirstResult() != ledgerv1.Result_RESULT_UNKNOWN {
		t.Errorf("a repeat: %v", s)
	}
	if got := l.Epochs(); len(got) != 1 || got[0] != old {
		t.Errorf("epochs %v", got)
	}
}

// R25: time goes on from the old log's, whatever the clock says.
func TestRestoredTime(t *testing.T) {
	o, backup, old := lostDisk(t)
	early := func() time.Time { return time.Unix(1_000_000_000, 0) }
	mustRestore(t, RestoreOptions{Backup: backup, Dir: o.Dir, Now: early})
	l := openTest(t, o)
	first, err := l.Entry(0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := predecessor(l.opts, first.Entry.GetLogCreated())
	if err != nil || s.LogID != old.LogID() || first.Time.UnixNano() != s.Time {
		t.Errorf("entry 0 is of %v, the state of %d, %v", first.Time, s.Time, err)
	}
	e, err := decisions.ParseEnvelope(first.Raw)
	if err != nil {
		t.Fatal(err)
	}
	e.Time = s.Time - 1
	v := verification{o: l.opts, log: &decisions.Snapshot{}}
	if err := v.carry(e); err == nil {
		t.Error("an entry 0 from before the old log's last entry is taken")
	}
}

// Epochs differ in what their decision ids begin with.
func TestEpochsDiffer(t *testing.T) {
	next := byte(0)
	id := unlike([]string{"01010101aaaaaaaaaaaaaaaaaaaaaaaa", "02020202aaaaaaaaaaaaaaaaaaaaaaaa"}, func(b []byte) {
		next++
		for i := range b {
			b[i] = next
		}
	})
	if id[0] != 3 {
		t.Errorf("drawn %x", id)
	}
}

// A backup goes on over a change of the log's key, and is restored by any key of the
// chain. One from before the change is restored by the key that was in force then.
func TestRestoreOverAChangeOfKeys(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	asked(t, l, "run", decisions.Run)
	first := l.VerifierKey()
	mustCheckpoint(t, l)
	before, after := filepath.Join(t.TempDir(), "before"), filepath.Join(t.TempDir(), "after")
	backupTest(t, o, before)
	backupTest(t, o, after)
	closeTest(t, l)
	if _, err := RotateKey(t.Context(), o, &ledgerv1.Actor{Name: "op"}); err != nil {
		t.Fatal(err)
	}
	l = openTest(t, o)
	asked(t, l, "second", decisions.Run)
	mustCheckpoint(t, l)
	backupTest(t, o, after)
	closeTest(t, l)
	for name, c := range map[string]struct {
		backup, key string
		keys        int
	}{
		"the present key": {after, l.VerifierKey(), 2}, "the first key": {after, first, 2}, "before it": {before, first, 1},
	} {
		next := testOptions(t)
		if r := mustRestore(t, RestoreOptions{Backup: c.backup, Dir: next.Dir, OldKeys: l.opts.KeyDir, VerifierKey: c.key}); r.Keys != c.keys {
			t.Errorf("%s: %+v", name, r)
		}
		closeTest(t, openTest(t, next))
	}
	next := testOptions(t)
	if _, err := Restore(t.Context(), RestoreOptions{Backup: before, Dir: next.Dir, OldKeys: l.opts.KeyDir}); !errors.Is(err, ErrKeys) || !strings.Contains(err.Error(), "before the change") {
		t.Errorf("by a key that the backup does not know: %v", err)
	}
}
