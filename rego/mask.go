package rego

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/writ-dev/writ/decisions"
)

// mask says which values of a document the log must not show (R35). A nil mask hides
// nothing.
type mask struct {
	// whole hides the value, and what is in it.
	whole bool
	keys  map[string]*mask
	// each is for every element of a list, and every member of an object.
	each *mask
}

// maskable are the inputs that stand nowhere else in an entry but as keyed digests.
func maskable() []string {
	return []string{argumentsPath, labelsPath, "target", "scope.selection", "scope.count"}
}

// maskPath is the keys of a mask's path; [_] is anyKey.
type maskPath []string

// maxMaskPath bounds a path, in bytes.
const maxMaskPath = 512

// anyKey stands for every element. No key of JSON can be it.
const anyKey = "\xff"

var errMaskPath = errors.New("expected keys and [_], as in arguments.recipients[_].address")

// parseMaskPath reads a path as Rego writes a ref, without "input.".
func parseMaskPath(text string) (maskPath, error) {
	if len(text) > maxMaskPath {
		return nil, fmt.Errorf("it has %d bytes; expected at most %d", len(text), maxMaskPath)
	}
	ref, err := ast.ParseRef("input." + text)
	if err != nil {
		return nil, errMaskPath
	}
	var path maskPath
	for _, t := range ref[1:] {
		switch key := t.Value.(type) {
		case ast.String:
			path = append(path, string(key))
		case ast.Var:
			if !key.IsWildcard() {
				return nil, fmt.Errorf("%v is a variable; %w", key, errMaskPath)
			}
			path = append(path, anyKey)
		default:
			return nil, fmt.Errorf("%v is no key; %w", key, errMaskPath)
		}
	}
	return path, nil
}

// allowed says whether the log holds such a value nowhere else.
func (p maskPath) allowed() bool {
	return slices.ContainsFunc(maskable(), func(field string) bool {
		keys := strings.Split(field, ".")
		object := field == argumentsPath || field == labelsPath
		return len(p) >= len(keys) && slices.Equal(p[:len(keys)], keys) && (object || len(p) == len(keys))
	})
}

// read says whether a rule reads what the path hides, or a part of it.
func (p maskPath) read(reads []inputPath) bool {
	if i := slices.Index(p, anyKey); i >= 0 {
		p = p[:i]
	}
	return slices.ContainsFunc(reads, func(r inputPath) bool {
		n := min(len(r), len(p))
		return slices.Equal(r[:n], inputPath(p[:n]))
	})
}

// hides says whether the path hides all of what a rule reads.
func (p maskPath) hides(read inputPath) bool {
	return len(p) <= len(read) && slices.Equal(inputPath(p), read[:len(p)])
}

// shown lists what is read, might be personal, and is not masked as a whole.
func shown(reads []inputPath, masked []maskPath) (paths []string) {
	for _, r := range reads {
		personal := maskPath(r).allowed() || slices.Equal(r, inputPath{"scope"}) || len(r) == 0
		if personal && !slices.ContainsFunc(masked, func(p maskPath) bool { return p.hides(r) }) {
			paths = append(paths, strings.Join(r, "."))
		}
	}
	return paths
}

func newMask(paths []maskPath) *mask {
	if len(paths) == 0 {
		return nil
	}
	root := &mask{}
	for _, p := range paths {
		at := root
		for _, key := range p {
			if !at.whole {
				at = at.child(key)
			}
		}
		*at = mask{whole: true}
	}
	return root
}

func (m *mask) child(key string) *mask {
	if key == anyKey {
		if m.each == nil {
			m.each = new(mask)
		}
		return m.each
	}
	if m.keys == nil {
		m.keys = map[string]*mask{}
	}
	if m.keys[key] == nil {
		m.keys[key] = new(mask)
	}
	return m.keys[key]
}

// hidden is a value that the log must not show: where in the document.
type hidden struct {
	place    string
	from, to int
}

// find lists what of a document is hidden, in order. What has not the shape that a path
// expects is hidden whole: it may hold the value at another place.
func (m *mask) find(document []byte) []hidden {
	f := finder{text: document}
	if f.members(m, hidden{to: len(document)}); f.err != nil {
		return []hidden{{to: len(document)}}
	}
	return f.found
}

type finder struct {
	text  []byte
	found []hidden
	err   error
}

func (f *finder) value(m *mask, v hidden) {
	switch first := f.text[v.from]; {
	case first == '{' && !m.whole, first == '[' && m.each != nil:
		f.members(m, v)
	default:
		f.found = append(f.found, v)
	}
}

// members looks at the members of an object or the elements of a list.
func (f *finder) members(m *mask, v hidden) {
	err := eachPart(f.text[v.from:v.to], func(token string, from, to int) {
		named := m.keys[token]
		if named == nil && m.each == nil {
			return
		}
		part := hidden{decisions.AppendPointer(v.place, token), v.from + from, v.from + to}
		switch {
		case named != nil && m.each != nil: // named twice, so hidden for sure
			f.found = append(f.found, part)
		case named != nil:
			f.value(named, part)
		default:
			f.value(m.each, part)
		}
	})
	f.err = errors.Join(f.err, err)
}

// Mask returns what the log may keep of a Verdict.Inputs: a commitment in place of each
// value that the policy's data names in writ.mask, and what opens them. Each call makes
// commitments of its own. Without a mask the inputs are returned as they are.
func (p *Policy) Mask(inputs []byte) ([]byte, []decisions.Disclosure) {
	if p == nil || p.mask == nil || len(inputs) == 0 {
		return inputs, nil
	}
	found := p.mask.find(inputs)
	if len(found) == 0 {
		return inputs, nil
	}
	masked := make([]byte, 0, len(inputs)+64*len(found))
	open := make([]decisions.Disclosure, len(found))
	copied := 0
	for i, h := range found {
		open[i] = decisions.Disclosure{Place: h.place, Value: inputs[h.from:h.to]}
		rand.Read(open[i].Salt[:]) // never fails
		masked = open[i].AppendMasked(append(masked, inputs[copied:h.from]...))
		copied = h.to
	}
	return append(masked, inputs[copied:]...), open
}
