package rego

import (
	"testing"
	"testing/fstest"
)

// A report names each test with its place, and what no test ran.
func TestReport(t *testing.T) {
	fsys := policyOf(payRules)
	fsys["writ/rules_test.rego"] = &fstest.MapFile{Data: []byte(`package writ_test

import data.writ

test_base if count(writ.verdict) == 1 with input.tool as "send" with input.arguments as {"amount": 5}

test_wrong if count(writ.verdict) == 7 with input.tool as "send" with input.arguments as {"amount": 5}

todo_test_later if false
`)}
	report, err := Test(t.Context(), fsys)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Tests) != 3 || report.Pass() {
		t.Fatalf("got %+v", report)
	}
	for i, want := range []TestResult{
		{Name: "data.writ_test.test_base", Line: 5, Pass: true},
		{Name: "data.writ_test.test_wrong", Line: 7},
		{Name: "data.writ_test.todo_test_later", Line: 9, Skipped: true},
	} {
		got := report.Tests[i]
		if got.Name != want.Name || got.Line != want.Line || got.Pass != want.Pass || got.Skipped != want.Skipped || got.File != "writ/rules_test.rego" {
			t.Errorf("got %+v; want %+v", got, want)
		}
	}
	if report.Coverage <= 0 || report.Coverage >= 100 || len(report.Uncovered) == 0 {
		t.Errorf("coverage is %v %%, uncovered %v", report.Coverage, report.Uncovered)
	}
	for _, f := range report.Uncovered {
		if f.File != "writ/rules.rego" || f.Line == 0 {
			t.Errorf("uncovered %v", f)
		}
	}
}

// A policy that does not compile has no report.
func TestReportOfBrokenPolicy(t *testing.T) {
	if _, err := Test(t.Context(), policyOf("verdict contains 1 if input.stge")); err == nil {
		t.Error("no error")
	}
}

// A policy without a test loads, and says that nothing is covered.
func TestReportWithoutTests(t *testing.T) {
	report, err := Test(t.Context(), policyOf(payRules))
	if err != nil || !report.Pass() || report.Coverage != 0 {
		t.Errorf("got %+v, %v", report, err)
	}
}
