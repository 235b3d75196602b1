package ledger

import (
	"runtime"
	"testing"
)

// The index takes whole tiles in, so it stays less than one behind when nobody writes.
func TestIndexedFollowsTheSize(t *testing.T) {
	l := openTest(t, testOptions(t))
	appendN(t, l, 3*tileWidth)
	for l.Size()-l.Indexed() >= tileWidth {
		if err := l.Err(); err != nil {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
	if got := l.Indexed(); got != 3*tileWidth {
		t.Errorf("of %d entries %d are indexed, want %d: whole tiles", l.Size(), got, 3*tileWidth)
	}
	closeTest(t, l)
}
