package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// testOptions are small: many segments, and no reserve that a full build machine
// would trip.
func testOptions(t testing.TB) Options {
	return Options{
		Dir:          filepath.Join(t.TempDir(), "data"),
		SegmentBytes: minSegmentBytes,
		ReserveBytes: 1,
		Version:      "test",
		NoScrub:      true,
	}
}

// openTest opens a ledger that is closed and fully verified when the test ends.
func openTest(t testing.TB, o Options) *Ledger {
	t.Helper()
	l, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeTest(t, l) })
	return l
}

func closeTest(t testing.TB, l *Ledger) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	verifyTest(t, l.opts)
}

func verifyTest(t testing.TB, o Options) Report {
	t.Helper()
	r, err := Verify(context.Background(), VerifyOptions{Dir: o.Dir, KeyDir: o.KeyDir, Anchor: o.Anchor})
	if err != nil {
		t.Errorf("verify: %v", err)
	}
	return r
}

// failing is a test's handle, of testing or of rapid.
type failing interface {
	Helper()
	Fatal(...any)
}

// call is a decision as a test proposes it.
type call struct {
	tool    string
	key     string // idempotency key; none where empty
	request string
	outcome decisions.Outcome
	code    decisions.Code
	life    time.Duration
	filler  int // bytes of inputs
	change  func(*ledgerv1.Decision)
}

func (c call) proposal(t failing) decisions.Proposal {
	t.Helper()
	reason := decisions.Reason{Code: c.code, Sentence: "Because " + c.tool + ".", Rule: "test.rule"}
	d := &ledgerv1.Decision{
		Tool:          c.tool,
		Inputs:        make([]byte, c.filler),
		RequestDigest: sum(c.request),
		Judgement: &ledgerv1.Judgement{
			Outcome: c.outcome.Record(),
			Reason:  &ledgerv1.Reason{Code: string(reason.Code), Sentence: reason.Sentence, Rule: reason.Rule},
		},
	}
	if c.change != nil {
		c.change(d)
	}
	p := decisions.Proposal{}
	if c.key != "" {
		d.IdempotencyKey = &ledgerv1.IdempotencyKey{KeyDigest: sum(c.key), LifetimeSeconds: uint32(c.life / time.Second)}
		p.Claim = &decisions.Claim{Key: sha256.Sum256([]byte(c.key)), Request: sha256.Sum256([]byte(c.request)), Outcome: c.outcome, Reason: reason, Lifetime: c.life}
	}
	p.Body = marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: d}})
	return p
}

func marshal(t failing, e *ledgerv1.Entry) []byte {
	t.Helper()
	body, err := proto.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func sum(s string) []byte {
	h := sha256.Sum256([]byte(s))
	return h[:]
}

// indexed waits until the index holds every sealed segment.
func indexed(t *testing.T, l *Ledger) {
	t.Helper()
	began := time.Now()
	segments := l.segments.view()
	for _, s := range segments[:len(segments)-1] {
		for found := false; !found; {
			var err error
			if found, err = l.index.hasFields(s); err != nil {
				t.Fatal(err)
			}
			runtime.Gosched()
		}
	}
	t.Logf("%d segments; the index caught up in %v", len(segments), time.Since(began))
}

// appendN appends plain decisions and returns their receipts.
func appendN(t testing.TB, l *Ledger, n int) []decisions.Receipt {
	t.Helper()
	receipts := make([]decisions.Receipt, n)
	for i := range n {
		r, err := l.Append(call{tool: fmt.Sprint("tool", i), filler: 100}.proposal(t))
		if err != nil {
			t.Fatal(err)
		}
		receipts[i] = r
	}
	return receipts
}

// memory is a file over bytes.
type memory []byte

func (m memory) ReadAt(b []byte, offset int64) (int, error) {
	return bytes.NewReader(m).ReadAt(b, offset)
}
func (memory) WriteAt([]byte, int64) (int, error) { return 0, fs.ErrPermission }
func (memory) Close() error                       { return nil }
func (memory) Sync() error                        { return nil }
func (memory) Datasync() error                    { return nil }
func (memory) Truncate(int64) error               { return fs.ErrPermission }
func (m memory) Size() (int64, error)             { return int64(len(m)), nil }

func beUint32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
func beUint64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }

// clock is a clock that stands still until told.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.at.Store(1_800_000_000e9)
	return c
}

func (c *clock) now() time.Time          { return time.Unix(0, c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }
