package ledger

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// table writes values with their entries and returns the chunks and the directory.
func table(t failing, values map[string][]uint32) (chunks [][]byte, directory []byte) {
	c := chunker{write: func(_ int, chunk []byte) error {
		chunks = append(chunks, bytes.Clone(chunk))
		return nil
	}}
	for _, value := range slices.Sorted(maps.Keys(values)) {
		if err := c.add(value, values[value]); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.flush(); err != nil {
		t.Fatal(err)
	}
	return chunks, appendDirectory(appendDirectory(nil, []string{"of another field"}), c.firsts)
}

// Every value of a table is found with its entries, however many chunks it takes, and
// no other value is.
func TestChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		long := rapid.SampledFrom([]int{3, 250}).Draw(t, "long")
		entries := rapid.SliceOfNDistinct(rapid.Uint32Range(0, 1<<20), 1, 200, rapid.ID)
		values := rapid.MapOfN(rapid.StringN(1, long, long), rapid.Map(entries, func(e []uint32) []uint32 { slices.Sort(e); return e }), 0, 60).Draw(t, "values")
		chunks, directory := table(t, values)
		for _, asked := range append(slices.Collect(maps.Keys(values)), rapid.StringN(1, long, long).Draw(t, "other")) {
			if got := lookUp(t, chunks, directory, asked); !slices.Equal(got, values[asked]) {
				t.Errorf("%q: %v, expected %v", asked, got, values[asked])
			}
		}
	})
}

func lookUp(t failing, chunks [][]byte, directory []byte, asked string) []uint32 {
	number, err := chunkOf(directory, 1, asked)
	if err != nil {
		t.Fatal(err)
	}
	found, err := findInChunk(chunks[number], asked)
	if err != nil {
		t.Fatal(err)
	}
	if found == nil {
		return nil
	}
	return found.ToArray()
}

// Tables of many values are cut, and each value is found where it went.
func TestChunksAreCut(t *testing.T) {
	values := map[string][]uint32{}
	for i := range 5000 {
		values[string([]byte{'a' + byte(i/676), 'a' + byte(i/26%26), 'a' + byte(i%26)})] = []uint32{uint32(i)}
	}
	chunks, directory := table(t, values)
	for value, want := range values {
		if got := lookUp(t, chunks, directory, value); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, expected %v", value, got, want)
		}
	}
	if len(chunks) < 5 {
		t.Errorf("%d chunks", len(chunks))
	}
	for i, c := range chunks {
		if len(c) > chunkBytes+100 {
			t.Errorf("chunk %d has %d bytes", i, len(c))
		}
	}
}

// Whatever a chunk's bytes are, looking into it ends.
func FuzzChunk(f *testing.F) {
	chunks, directory := table(f, map[string][]uint32{"a": {1, 2, 3}, "b": {7}})
	f.Add(chunks[0], directory)
	f.Fuzz(func(t *testing.T, chunk, directory []byte) {
		if number, err := chunkOf(directory, 1, "b"); err == nil && number < 0 {
			t.Errorf("chunk %d", number)
		}
		if found, err := findInChunk(chunk, "b"); err != nil && found != nil {
			t.Errorf("both %v and %v", found, err)
		}
	})
}
