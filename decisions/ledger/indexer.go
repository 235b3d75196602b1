package ledger

import "errors"

// indexer moves tiles from the tail into the index, and the fields of sealed segments,
// in the background.
type indexer struct {
	l    *Ledger
	due  chan struct{} // 1 deep
	stop chan struct{}
}

func (x *indexer) signal() {
	select {
	case x.due <- struct{}{}:
	default:
	}
}

// run ends when stopped, or when the index fails; the ledger then fails too, since
// keys that can't be looked up can't be settled.
func (x *indexer) run() {
	for {
		select {
		case <-x.due:
		case <-x.stop:
			return
		}
		err := x.advance()
		if errors.Is(err, ErrNoSpace) {
			x.pause()
			continue
		}
		if err != nil {
			x.l.tail.fail(x.l.fail(err))
			return
		}
	}
}

// advance indexes every whole tile, and the fields of one sealed segment: where many
// wait, the tiles in between come first, since the writer waits for those.
func (x *indexer) advance() error {
	if err := x.l.catchUp(); err != nil {
		return err
	}
	more, err := x.l.fields.next()
	if more {
		x.signal()
	}
	return err
}

// pause makes the want of room known, so that nothing is appended either. Its end
// signals the indexer.
func (x *indexer) pause() {
	x.l.space.check()
	if !x.l.space.low.Load() { // it has ended already
		x.signal()
	}
}

// catchUp indexes every whole tile. The disk is asked before each: it may fill within
// a moment, and what Badger maps can't be written then without ending the process.
// Errors: ErrNoSpace, the index's.
func (l *Ledger) catchUp() error {
	for {
		t, ok := l.tail.take()
		if !ok {
			return nil
		}
		if err := l.space.forIndex(); err != nil {
			return err
		}
		if err := l.index.guard(func() error { return l.index.commit(t) }); err != nil {
			return err
		}
		l.tail.drop(t)
	}
}
