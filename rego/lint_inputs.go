package rego

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// aliases say which input a variable stands for.
type aliases map[ast.Var][]*ast.Term

// linter finds in compiled rules what OPA's type check lets through: inputs that are
// misspelt behind a variable or a function's parameter, keys that only the call
// knows, words that no input has, and comparisons of different types.
type linter struct {
	compiler *ast.Compiler
	shape    *shape
	found    findings
	// set are the current rule's variables that have their value from elsewhere than
	// from being a key.
	set ast.VarSet
	// seen are rules with the aliases of their parameters.
	seen map[string]bool
}

func (s *source) lintInputs(c *ast.Compiler) findings {
	l := &linter{compiler: c, shape: newShape(s.stages()), seen: map[string]bool{}}
	for _, m := range sortedModules(c.Modules) {
		for _, rule := range m.Rules {
			l.rule(rule, aliases{})
		}
	}
	return l.found
}

// rule checks one rule, given what its parameters stand for, and the functions that
// it calls.
func (l *linter) rule(rule *ast.Rule, known aliases) {
	key := fmt.Sprintf("%p %v", rule, known)
	if l.seen[key] {
		return
	}
	l.seen[key] = true
	l.collect(rule, known)
	l.set = l.setVars(rule)
	ast.WalkRefs(rule, func(r ast.Ref) bool {
		l.ref(r, known)
		return false
	})
	ast.WalkExprs(rule, func(e *ast.Expr) bool {
		l.expr(e, known)
		return false
	})
}

// collect adds the variables that a rule sets to an input. A variable may be set
// from another one, so it goes on until there is nothing new.
func (l *linter) collect(rule *ast.Rule, known aliases) {
	for before := -1; before < len(known); {
		before = len(known)
		ast.WalkExprs(rule, func(e *ast.Expr) bool {
			if e.IsEquality() || e.IsAssignment() {
				l.alias(e.Operand(0), e.Operand(1), known)
				l.alias(e.Operand(1), e.Operand(0), known)
			}
			return false
		})
	}
}

func (l *linter) alias(variable, value *ast.Term, known aliases) {
	name, isVar := variable.Value.(ast.Var)
	if _, isRef := value.Value.(ast.Ref); !isVar || !isRef {
		return
	}
	if keys, ok := inputKeys(value, known); ok && known[name] == nil && constant(keys) {
		known[name] = keys
	}
}

// inputKeys returns the keys below input that a term stands for.
func inputKeys(t *ast.Term, known aliases) ([]*ast.Term, bool) {
	switch v := t.Value.(type) {
	case ast.Var:
		keys, ok := known[v]
		return keys, ok
	case ast.Ref:
		if v.HasPrefix(ast.InputRootRef) {
			return v[1:], true
		}
		if head, ok := v[0].Value.(ast.Var); ok && known[head] != nil {
			return slices.Concat(known[head], v[1:]), true
		}
	}
	return nil, false
}

func constant(keys []*ast.Term) bool {
	return !slices.ContainsFunc(keys, func(t *ast.Term) bool { return !ast.IsConstant(t.Value) })
}

// ref checks where a ref leads.
func (l *linter) ref(r ast.Ref, known aliases) {
	keys, ok := inputKeys(ast.NewTerm(r), known)
	if !ok {
		return
	}
	loc := r[0].Location
	if len(keys) == 0 {
		l.found = append(l.found, at(loc, "input is used as a whole, so that every call would depend on all of it; name the field that is meant"))
		return
	}
	direct := r.HasPrefix(ast.InputRootRef)
	node, beyond := l.shape.find(keys)
	switch {
	case len(beyond) == 0:
	case node.leaf == nil:
		l.unknownKey(loc, node, keys, beyond)
	case node.leaf.kind != object:
		l.found = append(l.found, at(loc, "input.%s is a value without keys; remove %v", node.leaf.path, beyond[0]))
	case node.leaf.path == argumentsPath:
		l.argument(loc, beyond, direct)
	}
}

func (l *linter) unknownKey(loc *ast.Location, node *shape, keys, beyond []*ast.Term) {
	path := keyPath(keys[:len(keys)-len(beyond)])
	if name, ok := beyond[0].Value.(ast.String); ok {
		l.found = append(l.found, at(loc, "%s has no key %q; expected one of %s", path, string(name), node.names()))
		return
	}
	l.found = append(l.found, at(loc, "the key of %s is not a constant; write one of %s", path, node.names()))
}

// argument checks a key of the arguments. Whether an argument is there is known only
// of those that a rule names with input.arguments in front.
func (l *linter) argument(loc *ast.Location, beyond []*ast.Term, direct bool) {
	name, isConstant := beyond[0].Value.(ast.String)
	switch {
	case !isConstant && l.iterates(beyond[0]):
	case !isConstant:
		l.found = append(l.found, at(loc,
			"the key of input.arguments is not a constant; write `some key, value in input.arguments` or object.get(input.arguments, key, null)"))
	case !direct:
		l.found = append(l.found, at(loc,
			"argument %q is read through a variable, so that its absence would go unseen; write input.arguments.%s, or object.get where it is optional", string(name), string(name)))
	}
}

// iterates says whether a key runs over all keys, rather than being one of them.
func (l *linter) iterates(key *ast.Term) bool {
	name, isVar := key.Value.(ast.Var)
	return isVar && !l.set.Contains(name)
}

// setVars collects a rule's parameters, the variables that it equates with a value,
// and the results of calls.
func (l *linter) setVars(rule *ast.Rule) ast.VarSet {
	set := ast.NewVarSet()
	add := func(t *ast.Term) {
		if name, ok := t.Value.(ast.Var); ok {
			set.Add(name)
		}
	}
	for _, parameter := range rule.Head.Args {
		add(parameter)
	}
	ast.WalkExprs(rule, func(e *ast.Expr) bool {
		switch operands := e.Operands(); {
		case e.IsEquality() || e.IsAssignment():
			add(operands[0])
			add(operands[1])
		case e.IsCall() && len(operands) > l.compiler.GetArity(e.Operator()):
			add(operands[len(operands)-1])
		}
		return false
	})
	return set
}

// keyPath is how an author writes constant keys below input.
func keyPath(keys []*ast.Term) string {
	var b strings.Builder
	b.WriteString("input")
	for _, k := range keys {
		if name, ok := k.Value.(ast.String); ok {
			b.WriteString("." + string(name))
		}
	}
	return b.String()
}
