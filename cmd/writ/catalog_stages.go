package main

import (
	"context"
	"fmt"
	"os"

	"github.com/writ-dev/writ/rego"
)

// policyOfStages is the flag of every command that must know the stages' order.
type policyOfStages struct {
	Policy string `env:"WRIT_POLICY" type:"path" help:"Directory of the policy whose stage table holds; default: the built-in one."`
}

// stages returns the words of the stage table, first one first.
func (p policyOfStages) stages() ([]string, error) {
	fsys := rego.Default()
	if p.Policy != "" {
		fsys = os.DirFS(p.Policy)
	}
	policy, err := rego.Load(context.Background(), fsys, rego.Options{})
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return policy.Stages(), nil
}
