package rego

import (
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// shape is the document as a tree: an inner node is an object of which every key is
// known, a leaf is a field.
type shape struct {
	keys map[string]*shape
	leaf *field
}

// newShape builds the tree of all fields. The stage's words are the policy's own.
func newShape(stages []string) *shape {
	root := &shape{keys: map[string]*shape{}}
	for _, f := range fields() {
		if f.path == "stage" {
			f.words = stages
		}
		at := root
		for key := range strings.SplitSeq(f.path, ".") {
			if at.keys == nil {
				at.keys = map[string]*shape{}
			}
			if at.keys[key] == nil {
				at.keys[key] = &shape{}
			}
			at = at.keys[key]
		}
		at.leaf = &f
	}
	return root
}

// find follows a path as far as the tree goes, and returns the keys beyond it.
func (s *shape) find(keys []*ast.Term) (*shape, []*ast.Term) {
	for len(keys) > 0 && s.leaf == nil {
		name, _ := keys[0].Value.(ast.String)
		next := s.keys[string(name)]
		if next == nil {
			break
		}
		s, keys = next, keys[1:]
	}
	return s, keys
}

// names lists the keys of an inner node.
func (s *shape) names() string { return strings.Join(slices.Sorted(maps.Keys(s.keys)), ", ") }

// schema is the JSON Schema of the document.
func (s *shape) schema() map[string]any {
	if s.leaf != nil {
		return s.leaf.schema()
	}
	properties := map[string]any{}
	for key, below := range s.keys {
		properties[key] = below.schema()
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
}

func (f field) schema() map[string]any {
	switch {
	case f.kind == truth:
		return map[string]any{"type": "boolean"}
	case f.kind == number:
		return map[string]any{"type": "number"}
	case f.path == labelsPath:
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	case f.kind == object:
		return map[string]any{"type": "object", "additionalProperties": true}
	}
	return map[string]any{"type": "string"}
}
