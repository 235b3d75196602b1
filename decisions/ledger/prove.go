package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/writ-dev/writ/decisions"
)

// coverWait is how many checkpoint intervals a proof waits for a checkpoint.
const coverWait = 10

// ProveInclusion proves that an entry is in the tree of a size, or, where size is 0, in
// that of the checkpoint it returns. The checkpoint is the latest, a signed note, and
// covers entry and size; where none does yet, it waits for the next, which is made
// sooner. The proof was checked. Errors: ErrNotFound beyond the log's end,
// ErrPruned, decisions.ErrProof where size does not cover the entry, ErrUncovered, ErrClosed,
// ErrFailed, ErrDamaged, the context's.
func (l *Ledger) ProveInclusion(ctx context.Context, sequence, size uint64) (decisions.Inclusion, []byte, error) {
	if n := l.Size(); sequence >= n {
		return decisions.Inclusion{}, nil, fmt.Errorf("%w: entry %d: the log has %d", ErrNotFound, sequence, n)
	}
	if from := l.origin(); sequence < from.first {
		return decisions.Inclusion{}, nil, from.gone(sequence)
	}
	signed, err := l.covering(ctx, max(sequence+1, size))
	if err != nil {
		return decisions.Inclusion{}, nil, err
	}
	if size == 0 {
		size = signed.Size
	}
	p, err := decisions.ProveInclusion(size, sequence, treeReader{l})
	if err != nil {
		return decisions.Inclusion{}, nil, err
	}
	root, err := l.provenRoot(size, signed.Checkpoint)
	if err != nil {
		return decisions.Inclusion{}, nil, err
	}
	r, err := l.Entry(sequence)
	if err == nil {
		err = l.provedWrong(p.Check(r.Leaf, root))
	}
	return p, signed.note, err
}

// ProveConsistency proves that the tree of from entries is the beginning of that of
// size entries, or, where size is 0, of the checkpoint that it returns. It waits and
// fails as ProveInclusion does.
func (l *Ledger) ProveConsistency(ctx context.Context, from, size uint64) (decisions.Consistency, []byte, error) {
	signed, err := l.covering(ctx, max(from, size))
	if err != nil {
		return decisions.Consistency{}, nil, err
	}
	if size == 0 {
		size = signed.Size
	}
	p, err := decisions.ProveConsistency(size, from, treeReader{l})
	if err != nil {
		return decisions.Consistency{}, nil, err
	}
	old, err := l.provenRoot(from, signed.Checkpoint)
	if err != nil {
		return decisions.Consistency{}, nil, err
	}
	p.FromRoot = old
	root, err := l.provenRoot(size, signed.Checkpoint)
	if err == nil {
		err = l.provedWrong(p.Check(old, root))
	}
	return p, signed.note, err
}

// provenRoot returns the root at an earlier size, checked against a signed tree: hashes
// that come from the index are believed no further than that.
func (l *Ledger) provenRoot(size uint64, signed decisions.Checkpoint) (decisions.Hash, error) {
	if size == signed.Size {
		return signed.Root, nil
	}
	root, err := tlog.TreeHash(int64(size), treeReader{l}) //nolint:gosec // below a checkpoint's size
	if err != nil {
		return decisions.Hash{}, err
	}
	p, err := decisions.ProveConsistency(signed.Size, size, treeReader{l})
	if err == nil {
		err = l.provedWrong(p.Check(decisions.Hash(root), signed.Root))
	}
	return decisions.Hash(root), err
}

// provedWrong: a proof that does not hold was made of damaged hashes.
func (l *Ledger) provedWrong(err error) error {
	if err == nil {
		return nil
	}
	l.index.broken.Store(true)
	return fmt.Errorf("%w: index: %w: start again, it will be rebuilt", ErrDamaged, err)
}

// covering returns the latest checkpoint, once it covers so many entries.
func (l *Ledger) covering(ctx context.Context, size uint64) (*release, error) {
	if n := l.Size(); size > n {
		return nil, fmt.Errorf("%w: a tree of %d entries: the log has %d", ErrNotFound, size, n)
	}
	wait := coverWait * l.opts.CheckpointInterval
	bounded, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	signed, err := l.checkpointer.covering(bounded, size)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("%w: waited %v for one of %d entries: ask again, and see the service's log for why none is written", ErrUncovered, wait, size)
	}
	return signed, err
}

// treeReader gives the roots of complete subtrees, from the tail where the index does
// not have them yet. It implements tlog.HashReader, for indexes below the log's size.
type treeReader struct{ l *Ledger }

func (r treeReader) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		level, n := tlog.SplitStoredHashIndex(at)
		node, err := r.node(level, uint64(n)) //nolint:gosec // tlog's are not negative
		if err != nil {
			return nil, err
		}
		hashes[i] = tlog.Hash(node)
	}
	return hashes, nil
}

// node returns the root of the n-th complete subtree of 2^level leaves. What the tail
// drops is in the index before, so a node that is not in the one is in the other, or
// its halves are.
func (r treeReader) node(level int, n uint64) (decisions.Hash, error) {
	indexed, leaves := r.l.tail.subtree(n<<level, (n+1)<<level)
	switch {
	case indexed:
		if level < tileLevel && n<<level < r.l.index.oldest {
			return decisions.Hash{}, r.l.origin().hashesGone()
		}
		node, err := r.l.index.node(level, n)
		if errors.Is(err, badger.ErrKeyNotFound) && n<<level < r.l.index.oldest {
			return node, r.l.origin().hashesGone()
		}
		if err != nil {
			r.l.index.broken.Store(true)
			err = fmt.Errorf("%w: index: node %d of level %d: %w: start again, it will be rebuilt", ErrDamaged, n, level, err)
		}
		return node, err
	case leaves != nil:
		var f decisions.Frontier
		for _, leaf := range leaves {
			f.Append(leaf)
		}
		return f.Root(), nil
	case level == 0:
		return decisions.Hash{}, fmt.Errorf("%w: entry %d", ErrNotFound, n)
	}
	left, err := r.node(level-1, 2*n)
	if err != nil {
		return decisions.Hash{}, err
	}
	right, err := r.node(level-1, 2*n+1)
	return decisions.Hash(tlog.NodeHash(tlog.Hash(left), tlog.Hash(right))), err
}
