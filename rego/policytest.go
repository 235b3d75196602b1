package rego

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"
)

// Report is the result of a policy's own tests.
type Report struct {
	// Tests are sorted by place.
	Tests []TestResult `json:"tests"`
	// Coverage is the share of the rules' expressions that the tests ran, in percent.
	Coverage float64 `json:"coverage"`
	// Uncovered names the first line of each stretch that no test ran.
	Uncovered []Finding `json:"uncovered,omitempty"`
}

// TestResult is one test rule's result.
type TestResult struct {
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
	Pass bool   `json:"pass"`
	// Skipped tests are those whose name begins with todo_test_.
	Skipped bool `json:"skipped,omitempty"`
	// Message says why a test failed, with the place of the expression.
	Message string `json:"message,omitempty"`
	// Duration of the test.
	Duration time.Duration `json:"duration"`
}

// Pass says whether no test failed.
func (r Report) Pass() bool { return len(r.failures()) == 0 }

func (r Report) failures() findings {
	var fs findings
	for _, t := range r.Tests {
		if !t.Pass && !t.Skipped {
			fs = append(fs, Finding{t.File, t.Line, t.Name + ": " + t.Message})
		}
	}
	return fs
}

// Test runs a policy's own tests. It returns ErrPolicy where the policy does not
// compile; failed tests are in the report.
func Test(ctx context.Context, fsys fs.FS) (Report, error) {
	s, _, found := check(fsys)
	if len(found) > 0 {
		return Report{}, found.asError()
	}
	return s.test(ctx)
}

func (s *source) test(ctx context.Context) (Report, error) {
	covered := cover.New()
	results, err := runTests(ctx, typedCompiler(), copied(s.modules, s.tests), s.store(), covered)
	if err != nil {
		return Report{}, err
	}
	coverage := covered.Report(s.modules)
	return Report{Tests: results, Coverage: coverage.Coverage, Uncovered: uncovered(coverage)}, nil
}

// store holds the policy's data.
func (s *source) store() storage.Store {
	return inmem.NewFromObjectWithOpts(s.data, inmem.OptRoundTripOnWrite(false), inmem.OptReturnASTValuesOnRead(true))
}

// runTests compiles modules, in the way that tests want, and runs the tests among
// them. Without modules it runs those that the compiler has from a run before. A nil
// cover measures nothing.
func runTests(ctx context.Context, c *ast.Compiler, modules map[string]*ast.Module, store storage.Store, covered *cover.Cover) ([]TestResult, error) {
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Abort(ctx, txn)
	runner := tester.NewRunner().SetCompiler(c).SetModules(modules).SetStore(store).RaiseBuiltinErrors(true).CapturePrintOutput(false)
	if covered != nil {
		runner.SetCoverageQueryTracer(covered)
	}
	results, err := runner.RunTests(ctx, txn)
	if err != nil {
		return nil, fmt.Errorf("run the policy's tests: %w", err)
	}
	var tests []TestResult
	for r := range results {
		tests = append(tests, testResult(r))
	}
	slices.SortFunc(tests, func(a, b TestResult) int {
		return strings.Compare(fmt.Sprintf("%s:%9d %s", a.File, a.Line, a.Name), fmt.Sprintf("%s:%9d %s", b.File, b.Line, b.Name))
	})
	return tests, nil
}

func testResult(r *tester.Result) TestResult {
	t := TestResult{
		Name: r.Package + "." + r.Name, File: r.Location.File, Line: r.Location.Row,
		Pass: r.Pass(), Skipped: r.Skip, Duration: r.Duration,
	}
	switch {
	case t.Pass || t.Skipped:
	case r.Error != nil:
		t.Message = "failed with an error: " + r.Error.Error()
	case r.FailedAt != nil && r.FailedAt.Location != nil:
		t.Message = fmt.Sprintf("is not true: line %d: %s", r.FailedAt.Location.Row, r.FailedAt.Location.Text)
	default:
		t.Message = "is not true; change the rule, or the test if the rule is meant so"
	}
	return t
}

// uncovered lists what no test ran.
func uncovered(c cover.Report) []Finding {
	var fs findings
	for file, report := range c.Files {
		for _, stretch := range report.NotCovered {
			fs = append(fs, Finding{file, stretch.Start.Row, "no test runs this"})
		}
	}
	return fs.sorted()
}
