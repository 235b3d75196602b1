package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// result is all that one bench found, as it is saved.
type result struct {
	Machine  machine     `json:"machine"`
	Settings settings    `json:"settings"`
	Rows     []row       `json:"rows"`
	Gates    []gate      `json:"gates"`
	Ledger   ledgerStats `json:"ledger"`
	Evidence evidence    `json:"evidence"`
	Runs     []run       `json:"runs"`
}

// judge condenses the runs and holds them against the gates.
func (r *result) judge() {
	r.Rows = rows(r.Runs, r.Settings.Concurrency)
	r.Gates = gates(r.Rows, r.Runs)
}

// missed names the gates that were not met.
func (r *result) missed() error {
	var all []error
	for _, g := range r.Gates {
		if !g.Met {
			all = append(all, errors.New(g.String()))
		}
	}
	return errors.Join(all...)
}

// deliver prints the result and, as JSON, saves it too.
func (r *result) deliver(s settings, out io.Writer) error {
	if s.output != "json" {
		return r.table(out)
	}
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	content = append(content, '\n')
	if err := os.MkdirAll(s.save, 0o755); err != nil {
		return err
	}
	stamp := strings.ReplaceAll(r.Machine.Time.Format(time.RFC3339), ":", "")
	if err := os.WriteFile(filepath.Join(s.save, fmt.Sprintf("decide-%s.json", stamp)), content, 0o644); err != nil {
		return err
	}
	_, err = out.Write(content)
	return err
}
