package rego

import (
	"context"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// judge is a compiled policy.
type judge struct {
	compiler *ast.Compiler
	store    storage.Store
	query    ast.Body
	// rules says where a verdict's code is written.
	rules map[string]string
	// words are what documents often hold.
	words vocabulary
	// probe finds arguments that a verdict needs and the call lacks; nil where the
	// policy names no argument.
	probe *probe
}

// verdict evaluates one document.
func (j *judge) verdict(ctx context.Context, document []byte) (Verdict, error) {
	input, err := j.words.object(document)
	if err != nil {
		return Verdict{}, err
	}
	run, done, err := j.begin(ctx, input)
	if err != nil {
		return Verdict{}, err
	}
	defer done()
	if missing, err := j.probe.missing(ctx, run, input); err != nil || len(missing) > 0 {
		return inputMissing(missing), err
	}
	set := ast.NewSet()
	err = run(j.compiler, j.query).Iter(ctx, func(r topdown.QueryResult) error {
		set, _ = r[answerVar].Value.(ast.Set)
		return nil
	})
	if err != nil {
		return Verdict{}, err
	}
	return j.decode(set), nil
}

// answerVar holds the set of verdicts in a query's result.
const answerVar = ast.Var("answer")

// runner makes a query over the call's document.
type runner func(*ast.Compiler, ast.Body) *topdown.Query

// begin opens what the queries of one evaluation share. They halt when ctx ends.
func (j *judge) begin(ctx context.Context, input ast.Value) (runner, func(), error) {
	txn, err := j.store.NewTransaction(ctx)
	if err != nil {
		return nil, nil, err
	}
	cancel := topdown.NewCancel()
	stop := context.AfterFunc(ctx, cancel.Cancel)
	run := func(c *ast.Compiler, body ast.Body) *topdown.Query {
		return topdown.NewQuery(body).
			WithCompiler(c).
			WithStore(j.store).
			WithTransaction(txn).
			WithInput(ast.NewTerm(input)).
			WithCancel(cancel).
			WithMetrics(metrics.NoOp()).
			WithStrictBuiltinErrors(true)
	}
	return run, func() { stop(); j.store.Abort(ctx, txn) }, nil
}
