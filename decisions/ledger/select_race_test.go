package ledger

import (
	"fmt"
	"sync"
	"testing"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// What was answered is in the very next list of whoever asked, however many write, read
// and seal segments meanwhile; and nobody gets another's.
func TestReadYourWrite(t *testing.T) {
	l := openTest(t, testOptions(t))
	var all sync.WaitGroup
	for n := range 4 {
		session := fmt.Sprint("session-", n)
		p := call{tool: "t", filler: 3000, change: func(d *ledgerv1.Decision) { d.Session = session }}.proposal(t)
		all.Go(func() {
			for i := range 150 {
				receipt, err := l.Append(p)
				if err != nil {
					t.Error(err)
					return
				}
				if got := newest(t, l, session, 3); len(got) != min(i+1, 3) || got[0] != receipt.Sequence {
					t.Errorf("%s: entry %d was answered, the list after has %d", session, receipt.Sequence, got)
					return
				}
			}
		})
	}
	all.Wait()
	if got := len(l.segments.view()); got < 3 {
		t.Errorf("%d segments: the test means to cross several", got)
	}
}

func newest(t *testing.T, l *Ledger, session string, limit int) []uint64 {
	var found []uint64
	q := decisions.Query{Filter: decisions.Filter{Terms: []decisions.Term{{Field: decisions.FieldSession, Value: session}}}, Start: 1 << 63, Limit: limit}
	for r, err := range l.Select(t.Context(), q) {
		if err != nil {
			t.Error(err)
			return nil
		}
		if r.Entry.GetDecision().GetSession() != session {
			t.Errorf("%s: entry %d is another's", session, r.Sequence)
		}
		found = append(found, r.Sequence)
	}
	return found
}
