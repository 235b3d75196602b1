package rego

import (
	"context"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/writ-dev/writ/decisions"
)

type probe struct{}

func (p *probe) missing(ctx context.Context, run runner, input ast.Value) ([]string, error) {
	return nil, nil
}

// inputMissing refuses for want of arguments.
func inputMissing(paths []string) Verdict {
	return refusal(decisions.CodeInputMissing, fmt.Sprintf(
		"The policy needs %s, which the call does not have: send the arguments themselves, with that one.", strings.Join(paths, ", ")))
}
