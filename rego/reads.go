package rego

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// readPaths lists the inputs that compiled modules name, up to the first key that is
// not a constant. It over-approximates: a value that is passed on is read whole.
func readPaths(c *ast.Compiler) []inputPath {
	var reads []inputPath
	for _, m := range c.Modules {
		ast.WalkRefs(m, func(r ast.Ref) bool {
			if r.HasPrefix(ast.InputRootRef) {
				reads = append(reads, constantPath(r))
			}
			return false
		})
	}
	slices.SortFunc(reads, slices.Compare[inputPath])
	return slices.CompactFunc(reads, slices.Equal[inputPath])
}

// constantPath is what a ref to input names for sure.
func constantPath(r ast.Ref) inputPath {
	p := inputPath{}
	for _, t := range r[1:] {
		key, ok := t.Value.(ast.String)
		if !ok {
			break
		}
		p = append(p, string(key))
	}
	return p
}
