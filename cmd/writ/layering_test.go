package main_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// layer says which of our packages a package may import, and why no others. A name
// that ends in /... stands for what is below it.
type layer struct {
	name string
	may  []string
	why  string
}

// layers is the table of docs/architecture.md, first match wins. A package that no
// row matches is not allowed to exist.
var layers = []layer{
	{"proto/...", []string{"proto/..."},
		"the contract depends on nobody's code"},
	{"decisions", []string{"proto/writ/ledger/v1"},
		"an auditor imports the vocabulary to verify a log, and must get nothing else with it"},
	{"decisions/ledger", []string{"decisions", "proto/writ/ledger/v1"},
		"the ledger stores what was decided and has no opinion about it"},
	{"catalog/...", []string{"catalog/...", "catalog", "decisions"},
		"fingerprints and reviews are the same for the service, a client and a release check"},
	{"catalog", []string{"catalog/...", "decisions"},
		"fingerprints and reviews are the same for the service, a client and a release check"},
	{"rego/...", []string{"rego/...", "decisions"},
		"facts in, verdict out: a policy engine that knows transports or storage cannot be replayed"},
	{"rego", []string{"rego/...", "decisions"},
		"facts in, verdict out: a policy engine that knows transports or storage cannot be replayed"},
	{"server", []string{"decisions", "catalog", "rego", "proto/writ/ledger/v1"},
		"the story is told against interfaces, so that ledger and transports can be exchanged"},
	{"server/...", []string{"server", "decisions", "proto/..."},
		"a protocol translates; what it would reach for directly would bypass the story"},
	{"clients/...", []string{"clients/...", "proto/...", "decisions", "catalog/...", "catalog"},
		"a gateway that links a client must not inherit the service"},
	{"bench/...", []string{"bench/...", "proto/...", "decisions"},
		"the load is measured from outside, as a gateway would see it"},
	{"bench", []string{"bench/...", "proto/...", "decisions"},
		"the load is measured from outside, as a gateway would see it"},
	{"cmd/writ", []string{"..."},
		"the wiring may know everything, so that nothing else has to"},
}

// TestLayering: architecture.md's table of who may import whom.
func TestLayering(t *testing.T) {
	for _, p := range packages(t) {
		for _, breach := range breaches(p.name(), p.Imports) {
			t.Error(breach)
		}
	}
}

// TestLayeringFindsBreaches shows that the rules above can fail.
func TestLayeringFindsBreaches(t *testing.T) {
	for _, c := range []struct {
		name, imports string
		allowed       bool
	}{
		{"decisions", "catalog", false},
		{"decisions", "proto/writ/v1", false},
		{"decisions/ledger", "decisions", true},
		{"catalog/fetch", "decisions", true},
		{"rego", "decisions/ledger", false},
		{"server", "decisions/ledger", false},
		{"server", "server/grpcapi", false},
		{"server/grpcapi", "server", true},
		{"server/grpcapi", "catalog", false},
		{"clients/go", "server", false},
		{"cmd/writ", "decisions/ledger", true},
		{"helpers", "decisions", false},
	} {
		found := breaches(c.name, []string{"fmt", module + "/" + c.imports})
		if allowed := len(found) == 0; allowed != c.allowed {
			t.Errorf("%s imports %s: allowed %v, want %v", c.name, c.imports, allowed, c.allowed)
		}
	}
}

// breaches says which imports of the named package its layer does not allow.
func breaches(name string, imports []string) []string {
	i := slices.IndexFunc(layers, func(l layer) bool { return below(name, l.name) })
	if i < 0 {
		return []string{fmt.Sprintf("%s has no layer: give it a row in layers, or another home", name)}
	}
	var found []string
	for _, path := range imports {
		imported := ours(path)
		if imported == "" || slices.ContainsFunc(layers[i].may, func(m string) bool { return below(imported, m) }) {
			continue
		}
		found = append(found, fmt.Sprintf("%s imports %s; it may import %s, because %s",
			name, imported, strings.Join(layers[i].may, ", "), layers[i].why))
	}
	return found
}

// below reports whether a name is the pattern, or below a pattern that ends in "...".
func below(name, pattern string) bool {
	prefix, tree := strings.CutSuffix(pattern, "...")
	if !tree {
		return name == pattern
	}
	return strings.HasPrefix(name, prefix)
}
