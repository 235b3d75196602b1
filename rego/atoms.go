package rego

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// atoms is all that rules ask about one input: comparisons with constants, and what text
// it begins with, ends with or contains. Rules can't tell two values apart for which
// these come out alike.
type atoms struct {
	// numbers and texts are the constants of each type, in OPA's order, each once.
	numbers []ast.Number
	texts   []string
	affixes []affix
}

// affix is a call of a built-in like startswith.
type affix struct {
	operator string
	text     []byte
}

// maxAffixes bounds what is tried for one value.
const maxAffixes = 64

// holds says whether a text has the affix.
func (a *affix) holds(text []byte) bool {
	switch a.operator {
	case "startswith":
		return bytes.HasPrefix(text, a.text)
	case "endswith":
		return bytes.HasSuffix(text, a.text)
	default:
		return bytes.Contains(text, a.text)
	}
}

// atoms returns what rules ask about each input of which they read nothing but atoms, by
// path. Inputs of closed lists are not among them: their values are few. Nor are masked
// ones: whether a verdict quotes such a value depends on the value.
func (s *source) atoms(reads []inputPath, masked []maskPath) map[pathKey]*atoms {
	f := atomFinder{found: map[pathKey]*atoms{}}
	if !s.resolved(func(m *ast.Module) { f.walk(m) }) || f.mocked {
		return nil
	}
	open := map[pathKey]*atoms{}
	for _, r := range reads {
		a := f.found[r.key()]
		hidden := slices.ContainsFunc(masked, func(p maskPath) bool { return p.read([]inputPath{r}) })
		if a == nil || hidden || !isOpen(r) || slices.ContainsFunc(f.others, r.touches) {
			continue
		}
		if a.sort(); len(a.affixes) <= maxAffixes {
			open[r.key()] = a
		}
	}
	return open
}

// touches says whether one path holds the other, or is it.
func (p inputPath) touches(other inputPath) bool {
	n := min(len(p), len(other))
	return slices.Equal(p[:n], other[:n])
}

// isOpen says whether an input can have any value.
func isOpen(p inputPath) bool {
	for _, f := range fields() {
		if slices.Equal(p, strings.Split(f.path, ".")) {
			return f.kind == number || f.kind == text && f.words == nil && f.path != "stage"
		}
	}
	return len(p) > 1 && isObject(p[0])
}

// atomFinder walks over rules in which refs are resolved and calls stand as written.
type atomFinder struct {
	found map[pathKey]*atoms
	// others are the inputs that are read in any other way, as far as they are known.
	others []inputPath
	// mocked is set where a rule replaces what is neither an input nor data: perhaps
	// the built-in of an atom.
	mocked bool
}

func (f *atomFinder) walk(x any) {
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.Expr:
			if f.atom(x.Terms) {
				for _, with := range x.With {
					f.walk(with)
				}
				return true
			}
		case ast.Call:
			return f.atom([]*ast.Term(x))
		case *ast.With:
			target, _ := x.Target.Value.(ast.Ref)
			f.mocked = f.mocked || !target.HasPrefix(ast.InputRootRef) && !target.HasPrefix(ast.DefaultRootRef)
		case *ast.Import:
			return true // what it names is in the refs by now
		case ast.Ref:
			if x.HasPrefix(ast.InputRootRef) {
				f.others = append(f.others, constantPath(x))
			}
		}
		return false
	}).Walk(x)
}

// atom takes in an expression or a call that is one.
func (f *atomFinder) atom(terms any) bool {
	if t, alone := terms.(*ast.Term); alone { // is it there, and not false?
		ref, ok := inputOf(t.Value)
		return ok && f.of(ref).add("", ast.Boolean(true))
	}
	call, _ := terms.([]*ast.Term)
	if len(call) != 3 {
		return false
	}
	operator, a, b := call[0].Value.String(), call[1].Value, call[2].Value
	switch operator {
	case "eq", "equal", "neq", "gt", "gte", "lt", "lte":
		if constants(b) == nil {
			a, b = b, a
		}
	case "startswith", "endswith", "contains", "internal.member_2":
	default:
		return false
	}
	ref, ok := inputOf(a)
	return ok && f.of(ref).add(operator, b)
}

// inputOf is a ref that names one input.
func inputOf(v ast.Value) (ast.Ref, bool) {
	ref, ok := v.(ast.Ref)
	return ref, ok && ref.HasPrefix(ast.InputRootRef) && len(constantPath(ref)) == len(ref)-1
}

func (f *atomFinder) of(ref ast.Ref) *atoms {
	path := constantPath(ref).key()
	if f.found[path] == nil {
		f.found[path] = &atoms{}
	}
	return f.found[path]
}

// add takes an atom in; false where its constants are of no use.
func (a *atoms) add(operator string, operand ast.Value) bool {
	if text, isText := operand.(ast.String); isText {
		switch operator {
		case "startswith", "endswith", "contains":
			a.affixes = append(a.affixes, affix{operator, []byte(text)})
			return true
		}
	}
	list := constants(operand)
	if operator == "internal.member_2" {
		list = members(operand)
	}
	for _, v := range list {
		switch v := v.(type) {
		case ast.Number:
			a.numbers = append(a.numbers, v)
		case ast.String:
			a.texts = append(a.texts, string(v))
		}
	}
	return list != nil
}

// constants is a scalar, as a list; nil for what is none.
func constants(v ast.Value) []ast.Value {
	switch v.(type) {
	case ast.Number, ast.String, ast.Boolean, ast.Null:
		return []ast.Value{v}
	}
	return nil
}

// members are the elements of a set or an array of scalars; nil for others.
func members(v ast.Value) []ast.Value {
	list, ok := v.(interface{ Foreach(func(*ast.Term)) })
	if _, isObject := v.(ast.Object); !ok || isObject {
		return nil
	}
	values := []ast.Value{}
	list.Foreach(func(t *ast.Term) {
		if c := constants(t.Value); c != nil && values != nil {
			values = append(values, c...)
		} else {
			values = nil
		}
	})
	return values
}

func (a *atoms) sort() {
	slices.Sort(a.texts)
	a.texts = slices.Compact(a.texts)
	slices.SortStableFunc(a.numbers, ast.NumberCompare)
	a.numbers = slices.CompactFunc(a.numbers, func(x, y ast.Number) bool { return ast.NumberCompare(x, y) == 0 })
	slices.SortFunc(a.affixes, func(x, y affix) int {
		return cmp.Or(cmp.Compare(x.operator, y.operator), bytes.Compare(x.text, y.text))
	})
	a.affixes = slices.CompactFunc(a.affixes, func(x, y affix) bool { return x.operator == y.operator && bytes.Equal(x.text, y.text) })
}
