package decisions_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
)

func entryOf(n uint64) []byte { return bytes.Repeat([]byte{byte(n)}, int(n%7)) }

// tileStore is where tiles are written to, by path.
type tileStore map[string][]byte

func (s tileStore) write(t decisions.Tile, content []byte) error {
	s[t.Path()] = bytes.Clone(content)
	return nil
}

func (s tileStore) read(t decisions.Tile) ([]byte, error) {
	content, ok := s[t.Path()]
	if !ok {
		return nil, fmt.Errorf("%s was not written", t.Path())
	}
	return content, nil
}

// R34: tiles are what C2SP tlog-tiles says, by another implementation; and going on
// from written tiles gives the same as never having stopped.
func TestTiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Uint64Range(1, 1200).Draw(t, "size")
		stop := rapid.Uint64Range(0, size).Draw(t, "stop")
		if rapid.Bool().Draw(t, "at a tile's end") {
			stop -= stop % decisions.TileWidth
		}
		store, tiles := tileStore{}, &decisions.Tiles{}
		var hashes stored
		for n := range size {
			if n == stop {
				if err := tiles.Partial(store.write); err != nil {
					t.Fatal(err)
				}
				resumed, err := decisions.ResumeTiles(n, store.read)
				if err != nil || resumed.Root() != tiles.Root() {
					t.Fatalf("resumed at %d: %v", n, err)
				}
				tiles = resumed
			}
			if err := tiles.Append(entryOf(n), store.write); err != nil {
				t.Fatal(err)
			}
			more, err := tlog.StoredHashes(int64(n), entryOf(n), hashes)
			if err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, more...)
		}
		if err := tiles.Partial(store.write); err != nil {
			t.Fatal(err)
		}
		root, err := tlog.TreeHash(int64(size), hashes)
		if err != nil || tiles.Root() != decisions.Hash(root) || tiles.Size() != size {
			t.Fatalf("root %x, tlog has %x, %v", tiles.Root(), root, err)
		}
		for _, other := range tlog.NewTiles(8, 0, int64(size)) {
			path := strings.Replace(other.Path(), "tile/8/", "tile/", 1)
			want, err := tlog.ReadTileData(other, hashes)
			if err != nil || !bytes.Equal(store[path], want) {
				t.Errorf("%s: not tlog's, %v", path, err)
			}
			if other.L == 0 {
				checkBundle(t, store, other)
			}
		}
	})
}

func checkBundle(t *rapid.T, store tileStore, other tlog.Tile) {
	path := decisions.Tile{Level: decisions.EntriesLevel, Index: uint64(other.N), Width: other.W}.Path()
	entries, err := decisions.ParseBundle(store[path], other.W)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for i, e := range entries {
		if !bytes.Equal(e, entryOf(uint64(other.N)*256+uint64(i))) {
			t.Errorf("%s: entry %d is another", path, i)
		}
	}
}

func TestTilePath(t *testing.T) {
	for want, tile := range map[string]decisions.Tile{
		"tile/0/000":                {Width: 256},
		"tile/0/x001/x234/067":      {Index: 1234067, Width: 256},
		"tile/63/999.p/255":         {Level: 63, Index: 999, Width: 255},
		"tile/entries/x001/000.p/1": {Level: decisions.EntriesLevel, Index: 1000, Width: 1},
	} {
		if tile.Path() != want {
			t.Errorf("got %s, expected %s", tile.Path(), want)
		}
	}
}

// What does not have the bytes of its width is refused.
func TestResumeTilesRefuses(t *testing.T) {
	store, tiles := tileStore{}, &decisions.Tiles{}
	for n := range uint64(300) {
		if err := tiles.Append(entryOf(n), store.write); err != nil {
			t.Fatal(err)
		}
	}
	if err := tiles.Partial(store.write); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"tile/entries/001.p/44", "tile/0/001.p/44", "tile/1/000.p/1"} {
		for name, spoilt := range map[string][]byte{"short": store[path][1:], "long": append(bytes.Clone(store[path]), 0)} {
			other := tileStore{}
			for p, b := range store {
				other[p] = b
			}
			other[path] = spoilt
			if _, err := decisions.ResumeTiles(300, other.read); !errors.Is(err, decisions.ErrTile) {
				t.Errorf("%s, %s: got %v, expected ErrTile", path, name, err)
			}
		}
	}
	if err := (&decisions.Tiles{}).Append(make([]byte, decisions.MaxEntry+1), store.write); !errors.Is(err, decisions.ErrTile) {
		t.Errorf("an entry that is too large: got %v, expected ErrTile", err)
	}
}

func FuzzBundle(f *testing.F) {
	f.Add([]byte{0, 1, 7, 0, 0}, 2)
	f.Add([]byte{}, 0)
	f.Fuzz(func(t *testing.T, content []byte, width int) {
		entries, err := decisions.ParseBundle(content, width)
		if err != nil {
			return
		}
		var again []byte
		for _, e := range entries {
			again = append(append(again, byte(len(e)>>8), byte(len(e))), e...)
		}
		if len(entries) != width || !bytes.Equal(again, content) {
			t.Fatalf("%x was read as %d entries", content, len(entries))
		}
	})
}
