package rego

import (
	"maps"
	"slices"
)

// pick says which members of an object are kept.
type pick struct {
	// whole keeps the object as it is.
	whole bool
	// class takes the value's place; nil where the value stands.
	class *atoms
	keys  map[string]*pick
}

// picked collects what the reads name at and below a field; nil where nothing.
func picked(reads []inputPath, field string, classes map[pathKey]*atoms) *pick {
	var root *pick
	for _, r := range reads {
		if len(r) > 0 && r[0] != field {
			continue
		}
		if root == nil {
			root = new(pick)
		}
		at := root
		for _, key := range r[min(1, len(r)):] {
			at = at.child(key)
		}
		at.whole, at.class = true, classes[r.key()]
	}
	return root
}

func (p *pick) child(key string) *pick {
	if p.keys == nil {
		p.keys = map[string]*pick{}
	}
	if p.keys[key] == nil {
		p.keys[key] = new(pick)
	}
	return p.keys[key]
}

// appendLabels writes the labels that are kept, by key.
func (p *pick) appendLabels(b []byte, labels map[string]string) []byte {
	b = append(b, '{')
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		keep := p.keys[key]
		if !p.whole && keep == nil {
			continue
		}
		b = member(b, key)
		from := len(b)
		if b = appendText(b, labels[key]); keep != nil && keep.class != nil {
			b = keep.class.replace(b, from)
		}
	}
	return append(b, '}')
}

// appendObject writes the members of a JSON object that are kept, in the order and
// with the lexemes in which they stand.
func (p *pick) appendObject(b, raw []byte) ([]byte, error) {
	s := scanner{text: raw}
	b = append(b, '{')
	for s.next() {
		keep := p.keys[string(s.key)]
		switch {
		case keep != nil && keep.class != nil:
			b = keep.class.appendClass(append(appendKey(b, s.rawKey), ':'), s.value)
		case p.whole, keep != nil && keep.whole:
			b = append(append(appendKey(b, s.rawKey), ':'), s.value...)
		case keep != nil && s.value[0] == '{':
			var err error
			if b, err = keep.appendObject(append(appendKey(b, s.rawKey), ':'), s.value); err != nil {
				return nil, err
			}
		}
	}
	return append(b, '}'), s.err
}

// appendKey writes a member's key as it stands, after a comma where one is due.
func appendKey(b, rawKey []byte) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(b, rawKey...)
}
