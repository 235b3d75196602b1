package decisions

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
)

const (
	// TileWidth is how many hashes or entries a full tile has.
	TileWidth = 256
	// EntriesLevel is the level of the tiles that hold the entries themselves.
	EntriesLevel = -1

	tileHeight = 8 // of the subtree that a tile spans
)

// ErrTile says that bytes are no tile of the width that they should have.
var ErrTile = errors.New("not a valid tile")

// Tile names one resource of a log that is laid out as C2SP tlog-tiles. A tile of level
// l holds hashes of complete subtrees of 256^l leaves, those of level 0 being the
// leaves; one of EntriesLevel holds the entries, each after its length in 2 bytes.
type Tile struct {
	Level int
	Index uint64
	// Width is how many hashes or entries it holds: 1 to 256. Fewer than 256: partial.
	Width int
}

// Path is where the tile stands below the log's prefix: tile/0/x001/234, or
// tile/entries/000.p/17 for a partial one.
func (t Tile) Path() string {
	name := fmt.Sprintf("%03d", t.Index%1000)
	for n := t.Index / 1000; n > 0; n /= 1000 {
		name = fmt.Sprintf("x%03d/%s", n%1000, name)
	}
	level := "entries"
	if t.Level != EntriesLevel {
		level = strconv.Itoa(t.Level)
	}
	if t.Width < TileWidth {
		return fmt.Sprintf("tile/%s/%s.p/%d", level, name, t.Width)
	}
	return fmt.Sprintf("tile/%s/%s", level, name)
}

// TileWriter takes a tile's content, which is good until it returns.
type TileWriter func(t Tile, content []byte) error

// Tiles cuts a growing log into tiles. The zero value is the empty log. Not safe for
// concurrent use.
type Tiles struct {
	tree Frontier
	open [][]byte // of each level from EntriesLevel on: the tile that is being filled
}

// Size is the number of entries.
func (t *Tiles) Size() uint64 { return t.tree.Size() }

// Root is that of the tree.
func (t *Tiles) Root() Hash { return t.tree.Root() }

// Append adds an entry's stored bytes and hands on each tile that it fills. After an
// error, t is of no use any more.
func (t *Tiles) Append(entry []byte, write TileWriter) error {
	if len(entry) > MaxEntry {
		return fmt.Errorf("%w: an entry of %d bytes, expected at most %d", ErrTile, len(entry), MaxEntry)
	}
	leaf, n := LeafHash(entry), t.tree.Size()
	err := errors.Join(
		t.add(EntriesLevel, n, append(binary.BigEndian.AppendUint16(nil, uint16(len(entry))), entry...), write), //nolint:gosec // bounded above
		t.add(0, n, leaf[:], write))
	t.tree.AppendVisit(leaf, func(level int, n uint64, node Hash) {
		if level%tileHeight == 0 {
			err = errors.Join(err, t.add(level/tileHeight, n, node[:], write))
		}
	})
	return err
}

// add puts the n-th hash or entry of a level into the tile that it belongs to.
func (t *Tiles) add(level int, n uint64, content []byte, write TileWriter) error {
	for len(t.open) <= level-EntriesLevel {
		t.open = append(t.open, nil)
	}
	tile := &t.open[level-EntriesLevel]
	*tile = append(*tile, content...)
	if n%TileWidth < TileWidth-1 {
		return nil
	}
	err := write(Tile{Level: level, Index: n / TileWidth, Width: TileWidth}, *tile)
	*tile = (*tile)[:0]
	return err
}

// Partial hands on the tiles that are not full yet: with them, the tree of Size can be
// read.
func (t *Tiles) Partial(write TileWriter) error {
	for _, p := range partialTiles(t.tree.Size()) {
		if err := write(p, t.open[p.Level-EntriesLevel]); err != nil {
			return err
		}
	}
	return nil
}

// partialTiles are those of a tree's right edge, entries first.
func partialTiles(size uint64) []Tile {
	var tiles []Tile
	for level := EntriesLevel; level <= 0 || size>>(tileHeight*level) > 0; level++ {
		n := size >> (tileHeight * max(level, 0))
		if w := int(n % TileWidth); w > 0 { //nolint:gosec // below 256
			tiles = append(tiles, Tile{Level: level, Index: n / TileWidth, Width: w})
		}
	}
	return tiles
}

// ResumeTiles goes on where the tiles of a log of so many entries ended. read returns
// the content of a partial tile. What it returned is believed: compare the root. Errors:
// ErrTile, those of read.
func ResumeTiles(size uint64, read func(Tile) ([]byte, error)) (*Tiles, error) {
	t := &Tiles{tree: Frontier{size: size}}
	for _, p := range partialTiles(size) {
		content, err := read(p)
		if err != nil {
			return nil, err
		}
		for len(t.open) <= p.Level-EntriesLevel {
			t.open = append(t.open, nil)
		}
		t.open[p.Level-EntriesLevel] = append([]byte(nil), content...)
		if p.Level == EntriesLevel {
			_, err = ParseBundle(content, p.Width)
		} else {
			err = t.edge(p, content)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Path(), err)
		}
	}
	return t, nil
}

// edge takes the subtrees of a partial tile into the tree: they are smaller than those
// of the levels above, which come later.
func (t *Tiles) edge(p Tile, content []byte) error {
	if len(content) != p.Width*len(Hash{}) {
		return fmt.Errorf("%w: %d bytes, expected %d", ErrTile, len(content), p.Width*len(Hash{}))
	}
	var part Frontier
	for ; len(content) > 0; content = content[len(Hash{}):] {
		part.Append(Hash(content[:len(Hash{})]))
	}
	t.tree.nodes = append(part.nodes, t.tree.nodes...)
	return nil
}

// ParseBundle splits a tile of EntriesLevel into so many entries, which share its
// memory. Errors: ErrTile.
func ParseBundle(content []byte, width int) ([][]byte, error) {
	entries := make([][]byte, 0, min(max(width, 0), TileWidth))
	for rest := content; len(rest) > 0; {
		if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
			return nil, fmt.Errorf("%w: entry %d is cut short", ErrTile, len(entries))
		}
		end := 2 + int(binary.BigEndian.Uint16(rest))
		entries, rest = append(entries, rest[2:end]), rest[end:]
	}
	if len(entries) != width {
		return nil, fmt.Errorf("%w: %d entries, expected %d", ErrTile, len(entries), width)
	}
	return entries, nil
}
