package rego

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// expr checks one expression of a rule: a comparison, or a call.
func (l *linter) expr(e *ast.Expr, known aliases) {
	if !e.IsCall() {
		return
	}
	operands := e.Operands()
	switch name := e.Operator().String(); name {
	case "eq", "equal", "neq", "lt", "lte", "gt", "gte":
		l.compare(operands[0], operands[1], known)
		l.compare(operands[1], operands[0], known)
	case "internal.member_2":
		l.member(operands[0], operands[1], known)
	case "object.get":
		l.optional(operands[0], known)
	default:
		for _, rule := range l.compiler.GetRulesExact(e.Operator()) {
			l.call(rule, operands, known)
		}
	}
}

// call follows a function with what its parameters stand for.
func (l *linter) call(rule *ast.Rule, operands []*ast.Term, known aliases) {
	passed := aliases{}
	for i, parameter := range rule.Head.Args {
		name, isVar := parameter.Value.(ast.Var)
		if !isVar || i >= len(operands) {
			continue
		}
		if keys, ok := inputKeys(operands[i], known); ok && constant(keys) {
			passed[name] = keys
		}
	}
	if len(passed) > 0 {
		l.rule(rule, passed)
	}
}

// leafOf returns the field that a term stands for.
func (l *linter) leafOf(t *ast.Term, known aliases) *field {
	keys, ok := inputKeys(t, known)
	if !ok {
		return nil
	}
	node, beyond := l.shape.find(keys)
	if len(beyond) > 0 {
		return nil
	}
	return node.leaf
}

// compare checks a constant beside an input.
func (l *linter) compare(input, value *ast.Term, known aliases) {
	f := l.leafOf(input, known)
	if f == nil {
		return
	}
	switch v := value.Value.(type) {
	case ast.String:
		if f.kind != text {
			l.found = append(l.found, at(value.Location, "%v is compared with input.%s, which is no string", v, f.path))
		} else if f.words != nil && !slices.Contains(f.words, string(v)) {
			l.found = append(l.found, at(value.Location, "input.%s is never %v; expected one of %q", f.path, v, f.words))
		}
	case ast.Number:
		if f.kind != number {
			l.found = append(l.found, at(value.Location, "%v is compared with input.%s, which is no number", v, f.path))
		}
	case ast.Boolean:
		if f.kind != truth {
			l.found = append(l.found, at(value.Location, "%v is compared with input.%s, which is not true or false", v, f.path))
		}
	case ast.Null:
		l.found = append(l.found, at(value.Location, "input.%s is never null", f.path))
	}
}

// member checks the constants that an input is looked for among.
func (l *linter) member(input, list *ast.Term, known aliases) {
	switch v := list.Value.(type) {
	case ast.Set:
		v.Foreach(func(t *ast.Term) { l.compare(input, t, known) })
	case *ast.Array:
		v.Foreach(func(t *ast.Term) { l.compare(input, t, known) })
	}
}

// optional checks an object.get: what is always there has no default.
func (l *linter) optional(object *ast.Term, known aliases) {
	keys, ok := inputKeys(object, known)
	if !ok || len(keys) == 0 {
		return // The whole input is a finding of its own.
	}
	if node, beyond := l.shape.find(keys); len(beyond) == 0 && node.leaf == nil {
		l.found = append(l.found, at(object.Location, "every key of %s is always there; write %s.KEY instead of object.get", keyPath(keys), keyPath(keys)))
	}
}
