package rego

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// optionalKeys are the members of arguments and labels that rules read by object.get
// with a constant key. That names an object as a whole, but depends on one member only;
// the log should not get the others for it (R35).
type optionalKeys struct {
	keys []inputPath
	// whole are the objects that a rule reads in another way too.
	whole map[string]bool
}

// narrowPaths is readPaths, with the keys in place of the objects that are read by them
// only. A verdict depends on no more: object.get gives the same with the others absent.
func (s *source) narrowPaths(c *ast.Compiler) []inputPath {
	reads := readPaths(c)
	found := optionalKeys{whole: map[string]bool{}}
	if !s.resolved(func(m *ast.Module) { found.walk(m) }) {
		return reads
	}
	reads = slices.DeleteFunc(reads, func(r inputPath) bool {
		return len(r) == 1 && isObject(r[0]) && !found.whole[r[0]]
	})
	reads = append(reads, slices.DeleteFunc(found.keys, func(r inputPath) bool { return found.whole[r[0]] })...)
	slices.SortFunc(reads, slices.Compare[inputPath])
	return slices.CompactFunc(reads, slices.Equal[inputPath])
}

func isObject(field string) bool { return field == argumentsPath || field == labelsPath }

// walk looks at a module in which refs are resolved and calls stand as written.
func (o *optionalKeys) walk(x any) {
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.Expr:
			if terms, ok := x.Terms.([]*ast.Term); ok && o.get(terms) {
				for _, with := range x.With {
					o.walk(with)
				}
				return true
			}
		case *ast.Import:
			return true // what it names is in the refs by now
		case ast.Call:
			return o.get(x)
		case ast.Ref:
			if p := constantPath(x); x.HasPrefix(ast.InputRootRef) && len(p) <= 1 {
				o.reads(p)
			}
		}
		return false
	}).Walk(x)
}

// get takes in a call of object.get that names a member; others are walked over.
func (o *optionalKeys) get(call []*ast.Term) bool {
	if len(call) < 4 || call[0].Value.String() != "object.get" {
		return false
	}
	object, isRef := call[1].Value.(ast.Ref)
	if !isRef || !object.HasPrefix(ast.InputRootRef) || len(object) != 2 {
		return false
	}
	p := append(constantPath(object), constantKeys(call[2])...)
	if len(p) < 2 || !isObject(p[0]) {
		return false
	}
	o.keys = append(o.keys, p)
	for _, t := range call[2:] {
		o.walk(t)
	}
	return true
}

// reads takes in that an object, or all of input, is read as a whole.
func (o *optionalKeys) reads(p inputPath) {
	if len(p) == 0 {
		o.whole[argumentsPath], o.whole[labelsPath] = true, true
		return
	}
	o.whole[p[0]] = true
}

// constantKeys are the keys that object.get takes: one, or a path of them.
func constantKeys(t *ast.Term) inputPath {
	switch key := t.Value.(type) {
	case ast.String:
		return inputPath{string(key)}
	case *ast.Array:
		var p inputPath
		for i := range key.Len() {
			name, ok := key.Elem(i).Value.(ast.String)
			if !ok {
				return nil
			}
			p = append(p, string(name))
		}
		return p
	}
	return nil
}
