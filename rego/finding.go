package rego

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// ErrPolicy says that a policy can't be used. The error that Load returns lists
// every finding, one per line.
var ErrPolicy = errors.New("the policy can't be used")

// Finding is one thing that is wrong with a policy.
type Finding struct {
	// File is the path in the policy's tree; empty where the whole tree is meant.
	File string `json:"file"`
	// Line counts from 1; 0 where the whole file is meant.
	Line int `json:"line,omitempty"`
	// Message says what is wrong, what was expected, and the next step.
	Message string `json:"message"`
}

// String returns "file:line: message".
func (f Finding) String() string {
	switch {
	case f.File == "":
		return f.Message
	case f.Line == 0:
		return f.File + ": " + f.Message
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message)
}

// findings is an error of all that was found.
type findings []Finding

// asError returns nil where there are none.
func (fs findings) asError() error {
	if len(fs) == 0 {
		return nil
	}
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = "\n  " + f.String()
	}
	return fmt.Errorf("%w:%s", ErrPolicy, strings.Join(lines, ""))
}

// sorted orders by place and drops repetitions.
func (fs findings) sorted() findings {
	slices.SortFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(fs)
}

// at makes a finding at a place in a Rego file.
func at(loc *ast.Location, format string, args ...any) Finding {
	f := Finding{Message: fmt.Sprintf(format, args...)}
	if loc != nil {
		f.File, f.Line = loc.File, loc.Row
	}
	return f
}

// compilerFindings turns OPA's errors into findings.
func compilerFindings(err error) findings {
	var many ast.Errors
	if !errors.As(err, &many) {
		return findings{{Message: err.Error()}}
	}
	var fs findings
	for _, e := range many {
		fs = append(fs, at(e.Location, "%s", e.Message+detail(e.Details)))
	}
	return fs
}

// detail puts what OPA knows beyond an error's message on the same line.
func detail(d ast.ErrorDetails) string {
	if d == nil {
		return ""
	}
	if ref, ok := d.(*ast.RefErrInvalidDetail); ok {
		var names []string
		for _, v := range ref.OneOf {
			names = append(names, strings.Trim(v.String(), `"`))
		}
		return "; expected one of " + strings.Join(names, ", ")
	}
	return ": " + strings.Join(strings.Fields(strings.Join(d.Lines(), " ")), " ")
}
