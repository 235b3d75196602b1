package main

import (
	"context"
	_ "embed"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed payments.rego
var payments []byte

//go:embed told.rego
var told []byte

// writePolicy writes the policy of an estate below dir: the default one, with what
// the estate adds. It returns no directory where the built-in one will do.
func writePolicy(ctx context.Context, writ, dir string, e estate) (string, error) {
	if e.Rules == 0 && !e.Pays {
		return "", nil
	}
	if err := initPolicy(ctx, writ, dir); err != nil {
		return "", err
	}
	if e.Pays {
		rule := payments
		if e.Told {
			rule = told
		}
		if err := write(filepath.Join(dir, "writ", "payments.rego"), rule); err != nil {
			return "", err
		}
	}
	return dir, write(filepath.Join(dir, "writ", "houserules.rego"), rules(e.Rules))
}

// initPolicy writes the default policy to dir.
func initPolicy(ctx context.Context, writ, dir string) error {
	if out, err := exec.CommandContext(ctx, writ, "policy", "init", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("%s policy init: %w: %s", writ, err, out)
	}
	return nil
}

// rules makes rules as people write them: each is about one tool of one server.
func rules(n int) []byte {
	var b strings.Builder
	b.WriteString("package writ\n")
	for i := range n {
		fmt.Fprintf(&b, `
verdict contains {"outcome": "REFUSE", "code": "house_rule_%[1]d", "reason": "Rule %[1]d of the house."} if {
	input.server == "elsewhere-%[2]d"
	input.tool == "forbidden_%[1]d"
}
`, i, i%50)
	}
	return []byte(b.String())
}
