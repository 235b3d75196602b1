package ledger

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/writ-dev/writ/decisions"
)

// sealedTree is the tree as it was when a segment ended.
type sealedTree struct {
	number uint32
	tree   decisions.Frontier
}

// release is a checkpoint that was shown: its signed note is durable.
type release struct {
	decisions.Checkpoint
	note []byte
	next chan struct{} // closed when a later one is released
}

// checkpointer signs tree heads in the background, off the answer's path: after so
// much time or so many entries, and at each segment's end. A checkpoint is released
// (shown to anyone) only after it is durable in the data directory and the anchor.
type checkpointer struct {
	l      *Ledger
	due    atomic.Bool // before its time
	stop   chan struct{}
	latest atomic.Pointer[release]
	signed atomic.Uint64 // size of the latest

	writing sync.Mutex // one at a time
	mu      sync.Mutex
	seals   []sealedTree
}

// grown is told the log's size after each batch.
func (c *checkpointer) grown(size uint64) {
	if size-c.signed.Load() >= c.l.opts.CheckpointEntries {
		c.due.Store(true)
	}
}

func (c *checkpointer) sealed(number uint32, tree decisions.Frontier) {
	c.mu.Lock()
	c.seals = append(c.seals, sealedTree{number, tree})
	c.mu.Unlock()
	c.due.Store(true)
}

// run signs until stopped. A checkpoint that can't be written is tried again with the
// next one: the log itself is whole.
func (c *checkpointer) run() {
	quarter := time.NewTicker(max(c.l.opts.CheckpointInterval/4, 1))
	defer quarter.Stop()
	for quarters := 1; ; quarters++ {
		select {
		case <-quarter.C:
		case <-c.stop:
			return
		}
		if quarters < 4 && !c.due.Swap(false) {
			continue
		}
		quarters = 0
		if err := c.sign(); err != nil {
			c.l.opts.Logger.Error("checkpoint not written, trying again", "error", err)
		}
	}
}

// sign writes the sealed segments' checkpoints and the latest one.
func (c *checkpointer) sign() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	for {
		c.mu.Lock()
		seals := c.seals
		c.mu.Unlock()
		if len(seals) == 0 {
			break
		}
		if err := c.seal(seals[0]); err != nil {
			return err
		}
		c.mu.Lock()
		c.seals = c.seals[1:]
		c.mu.Unlock()
	}
	tree := c.l.head.snapshot()
	if tree.Size() == c.signed.Load() && c.latest.Load() != nil {
		return nil
	}
	return c.write(&tree)
}

func (c *checkpointer) seal(s sealedTree) error {
	return c.store(&s.tree, sealedFile(c.l.opts.logDir(), s.number))
}

func (c *checkpointer) write(tree *decisions.Frontier) error {
	head, signed, err := c.signedNote(tree)
	if err != nil {
		return err
	}
	for _, file := range []string{c.l.opts.checkpoint(), c.l.opts.Anchor} {
		if err := replaceFile(c.l.opts.FS, file, signed); err != nil {
			return fmt.Errorf("checkpoint of %d entries: %w", tree.Size(), err)
		}
	}
	before := c.latest.Swap(&release{head, signed, make(chan struct{})})
	c.signed.Store(tree.Size())
	if before != nil {
		close(before.next)
	}
	c.l.stats.checkpoints.Add(1)
	return nil
}

func (c *checkpointer) store(tree *decisions.Frontier, file string) error {
	_, signed, err := c.signedNote(tree)
	if err != nil {
		return err
	}
	return replaceFile(c.l.opts.FS, file, signed)
}

func (c *checkpointer) signedNote(tree *decisions.Frontier) (decisions.Checkpoint, []byte, error) {
	head := decisions.Checkpoint{LogID: c.l.keys.logID, Size: tree.Size(), Root: tree.Root()}
	signed, err := c.l.signing.Load().sign(head)
	return head, signed, err
}

// covering returns the latest checkpoint once it is of so many entries, which the log
// must have. Waiting makes the next one due at its earliest, no sooner: callers can't
// make the disk busier than load does.
func (c *checkpointer) covering(ctx context.Context, size uint64) (*release, error) {
	for {
		latest := c.latest.Load()
		if latest.Size >= size {
			return latest, nil
		}
		c.due.Store(true)
		select {
		case <-latest.next:
		case <-c.l.done:
			return nil, c.l.Err()
		case <-c.stop:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
