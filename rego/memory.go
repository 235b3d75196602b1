package rego

import (
	"hash/maphash"
	"sync"
)

const (
	// defaultMemory is how many answers are remembered.
	defaultMemory = 16384
	// maxKey is the longest key, in bytes, under which an answer is remembered.
	maxKey      = 4096
	memoryParts = 16
)

// memory remembers answers by what the policy can tell of the document that was judged:
// by the document, with classes in place of the values that have one. It can't be
// observed: an answer is a function of that (see the package comment). The zero value and
// nil remember nothing.
type memory struct {
	seed  maphash.Seed
	parts [memoryParts]generations
}

// generations hold the answers of one part. When the young generation is full it
// becomes the old one, and the answers that nobody asked for since are dropped.
type generations struct {
	sync.Mutex
	young, old map[string]Verdict
	// size bounds each generation.
	size int
}

func newMemory(answers int) *memory {
	if answers < 0 {
		return nil
	}
	if answers == 0 {
		answers = defaultMemory
	}
	m := &memory{seed: maphash.MakeSeed()}
	for i := range m.parts {
		m.parts[i].size = max(1, answers/memoryParts/2)
	}
	return m
}

func (m *memory) part(key []byte) *generations {
	return &m.parts[maphash.Bytes(m.seed, key)%memoryParts]
}

// get returns the answer under a key. It has no inputs where the key has classes in it.
func (m *memory) get(key []byte) (Verdict, bool) {
	if m == nil || len(key) > maxKey {
		return Verdict{}, false
	}
	g := m.part(key)
	g.Lock()
	defer g.Unlock()
	v, ok := g.young[string(key)]
	if !ok {
		if v, ok = g.old[string(key)]; ok {
			g.keep(key, v)
		}
	}
	v.Remembered = ok
	return v, ok
}

// put remembers an answer.
func (m *memory) put(key []byte, v Verdict, classed bool) {
	if m == nil || len(key) > maxKey {
		return
	}
	if classed {
		v.Inputs = nil // of this call only
	}
	g := m.part(key)
	g.Lock()
	defer g.Unlock()
	g.keep(key, v)
}

func (g *generations) keep(key []byte, v Verdict) {
	if g.size == 0 {
		return
	}
	if g.young == nil || len(g.young) >= g.size {
		g.young, g.old = make(map[string]Verdict), g.young
	}
	g.young[string(key)] = v
}
