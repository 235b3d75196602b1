package ledger

// indexer moves tiles from the tail into the index, in the background.
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
		if x.l.space.low.Load() {
			continue // nothing is appended either; the next entry signals again
		}
		if err := x.l.catchUp(); err != nil {
			x.l.tail.fail(x.l.fail(err))
			return
		}
	}
}

// catchUp indexes every whole tile.
func (l *Ledger) catchUp() error {
	for {
		t, ok := l.tail.take()
		if !ok {
			return nil
		}
		if err := l.index.commit(t); err != nil {
			return err
		}
		l.tail.drop(t)
	}
}
