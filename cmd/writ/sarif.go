package main

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/writ-dev/writ/catalog"
)

// The parts of SARIF 2.1.0 (OASIS) that a finding needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		Help             sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
)

// printSARIF prints findings for code scanning, each at its file: seen from the
// working directory where the catalogue is below it, so that a file is found in the
// repository; else from the catalogue.
func printSARIF(s streams, dir string, found []catalog.Finding) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "writ catalog check", Version: version, Rules: sarifRules()}
	below := belowHere(dir)
	failed := false
	for _, f := range found {
		failed = failed || f.Severity == catalog.Error
		run.Results = append(run.Results, sarifFinding(below, f, run.Tool.Driver.Rules))
	}
	err := printJSON(s.out, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
	if err == nil && failed {
		return errSilent
	}
	return err
}

func sarifRules() []sarifRule {
	var rules []sarifRule
	for code, help := range catalog.Help() {
		rules = append(rules, sarifRule{ID: code, ShortDescription: sarifText{help},
			Help: sarifText{help + ". docs/catalog.md describes what each file holds; the message says what to do."}})
	}
	slices.SortFunc(rules, func(a, b sarifRule) int { return compareIDs(a, b.ID) })
	return rules
}

func compareIDs(rule sarifRule, id string) int {
	switch {
	case rule.ID < id:
		return -1
	case rule.ID > id:
		return 1
	}
	return 0
}

// belowHere returns a directory's path from the working directory on; empty where it
// is elsewhere.
func belowHere(dir string) string {
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(here, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

func sarifFinding(below string, f catalog.Finding, rules []sarifRule) sarifResult {
	index, known := slices.BinarySearchFunc(rules, f.Code, compareIDs)
	if !known {
		index = -1 // SARIF: there is no such rule in the list
	}
	r := sarifResult{RuleID: f.Code, RuleIndex: index, Level: f.Severity.String(),
		Message: sarifText{f.Message + "; " + f.Fix}, Locations: make([]sarifLocation, 1)}
	at := &r.Locations[0].Physical
	at.Artifact.URI = (&url.URL{Path: path.Join(below, f.File)}).String()
	if f.Line > 0 {
		at.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Column}
	}
	return r
}
