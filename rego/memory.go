package rego

import (
	"hash/maphash"
	"sync"
)

const (
	// defaultMemory is how many answers are remembered.
	defaultMemory = 16384
	// maxKey is the longest document, in bytes, whose answer is remembered.
	maxKey      = 4096
	memoryParts = 16
)

// memory remembers answers by the document that was judged. It can't be observed:
// an answer is a function of the document (see the package comment). The zero value
// and nil remember nothing.
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

func (m *memory) part(document []byte) *generations {
	return &m.parts[maphash.Bytes(m.seed, document)%memoryParts]
}

// get returns the answer to a document.
func (m *memory) get(document []byte) (Verdict, bool) {
	if m == nil || len(document) > maxKey {
		return Verdict{}, false
	}
	g := m.part(document)
	g.Lock()
	defer g.Unlock()
	v, ok := g.young[string(document)]
	if !ok {
		if v, ok = g.old[string(document)]; ok {
			g.keep(v)
		}
	}
	v.Remembered = ok
	return v, ok
}

// put remembers an answer under its own document.
func (m *memory) put(v Verdict) {
	if m == nil || len(v.Inputs) > maxKey {
		return
	}
	g := m.part(v.Inputs)
	g.Lock()
	defer g.Unlock()
	g.keep(v)
}

func (g *generations) keep(v Verdict) {
	if g.size == 0 {
		return
	}
	if g.young == nil || len(g.young) >= g.size {
		g.young, g.old = make(map[string]Verdict), g.young
	}
	g.young[string(v.Inputs)] = v
}
