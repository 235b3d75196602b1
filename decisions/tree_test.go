package decisions_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
)

func leaf(n uint64) decisions.Hash {
	return decisions.LeafHash(binary.BigEndian.AppendUint64(nil, n))
}

// R34: roots are RFC 6962's, by two other implementations.
func TestFrontierAgainstOthers(t *testing.T) {
	var f decisions.Frontier
	factory := compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}
	other := factory.NewEmptyRange(0)
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(at []int64) ([]tlog.Hash, error) {
		var found []tlog.Hash
		for _, i := range at {
			found = append(found, stored[i])
		}
		return found, nil
	})
	for n := range uint64(300) {
		want := rfc6962.DefaultHasher.EmptyRoot()
		if n > 0 {
			want, _ = other.GetRootHash(nil)
		}
		root := f.Root()
		second, err := tlog.TreeHash(int64(n), reader)
		if err != nil || string(root[:]) != string(want) || root != decisions.Hash(second) {
			t.Fatalf("size %d: root %x, merkle has %x, tlog has %x, %v", n, root, want, second, err)
		}
		h := leaf(n)
		if err := other.Append(h[:], nil); err != nil {
			t.Fatal(err)
		}
		hashes, err := tlog.StoredHashesForRecordHash(int64(n), tlog.Hash(h), reader)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, hashes...)
		got := []tlog.Hash{tlog.Hash(h)}
		f.AppendVisit(h, func(level int, i uint64, node decisions.Hash) {
			got = append(got, tlog.Hash(node))
			if at := tlog.StoredHashIndex(level, int64(i)); stored[at] != tlog.Hash(node) {
				t.Errorf("size %d: node %d of level %d is not tlog's", n, i, level)
			}
		})
		if diff := cmp.Diff(hashes, got); diff != "" {
			t.Errorf("size %d: completed nodes: %s", n, diff)
		}
	}
}

func TestFrontierKeepsNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f decisions.Frontier
		size := rapid.Uint64Range(0, 600).Draw(t, "size")
		for n := range size {
			f.Append(leaf(n))
		}
		b, err := f.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var g decisions.Frontier
		if err := g.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		clone := f.Clone()
		f.Append(leaf(size))
		g.Append(leaf(size))
		if f.Root() != g.Root() || g.Size() != size+1 {
			t.Fatalf("size %d: what was stored goes on to another root", size)
		}
		if clone.Size() != size {
			t.Fatal("appending changed a clone")
		}
	})
}

func FuzzFrontier(f *testing.F) {
	var tree decisions.Frontier
	for n := range uint64(5) {
		tree.Append(leaf(n))
		b, _ := tree.AppendBinary(nil)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var tree decisions.Frontier
		if err := tree.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, decisions.ErrFrontier) || tree.Size() != 0 {
				t.Fatalf("got %v and size %d", err, tree.Size())
			}
			return
		}
		again, _ := tree.AppendBinary(nil)
		if diff := cmp.Diff(b, again); diff != "" {
			t.Fatal(diff)
		}
	})
}
