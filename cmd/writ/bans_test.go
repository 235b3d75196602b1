package main_test

import (
	"slices"
	"strings"
	"testing"
)

// ban is somebody else's package that only some of ours may use.
type ban struct {
	// imported is an import path or, ending in "/...", a tree.
	imported string
	// only lists our packages that may import it. For every other one it is banned.
	only []string
	why  string
}

var bans = []ban{
	{"github.com/dgraph-io/badger/...", []string{"decisions/ledger"},
		"the database is the ledger's index and nobody's truth"},
	{"github.com/open-policy-agent/opa/...", []string{"rego/...", "rego"},
		"another engine must be able to take its place"},
	{"google.golang.org/grpc/...", []string{"proto/...", "server/...", "clients/...", "bench", "bench/...", "cmd/writ"},
		"a gRPC status exists only at the edge"},
	{"github.com/alecthomas/kong", []string{"cmd/writ"},
		"only the command has flags"},
	{"net/http", []string{"server/...", "clients/...", "bench", "bench/...", "cmd/writ"},
		"what judges or stores a decision fetches nothing"},
}

// pure lists what the vocabulary must not touch: it has no clock, disk or network,
// so that the same bytes verify the same way everywhere.
var pure = []string{"os", "os/exec", "net", "net/http", "syscall", "database/sql", "math/rand", "math/rand/v2", "crypto/rand"}

// TestBans: architecture.md's list of dependencies, each in its one place.
func TestBans(t *testing.T) {
	for _, p := range packages(t) {
		for _, b := range bans {
			if slices.ContainsFunc(b.only, func(o string) bool { return below(p.name(), o) }) {
				continue
			}
			for _, path := range p.Imports {
				if within(path, b.imported) {
					t.Errorf("%s imports %s; only %s may, because %s",
						p.name(), path, strings.Join(b.only, ", "), b.why)
				}
			}
		}
	}
}

// TestVocabularyIsPure: package decisions does no I/O (style.md, habit 3).
func TestVocabularyIsPure(t *testing.T) {
	for _, p := range packages(t) {
		if p.name() != "decisions" {
			continue
		}
		for _, path := range p.Imports {
			if slices.Contains(pure, path) {
				t.Errorf("decisions imports %s; it is pure: hand in what it needs", path)
			}
		}
	}
}

// TestClientsAreLight: a client links neither the policy engine nor the database,
// not even through something else: a gateway pays for every megabyte and advisory.
func TestClientsAreLight(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		if !below(p.name(), "clients/...") {
			continue
		}
		seen++
		for _, path := range p.Deps {
			if within(path, "github.com/dgraph-io/badger/...") || within(path, "github.com/open-policy-agent/opa/...") {
				t.Errorf("%s links %s: see `go mod why` and cut the way to it", p.name(), path)
			}
		}
	}
	if seen == 0 {
		t.Error("no package below clients/: this test proved nothing")
	}
}

// within is below for import paths: "a.b/c/..." also matches "a.b/c" itself.
func within(path, pattern string) bool {
	tree, found := strings.CutSuffix(pattern, "/...")
	if !found {
		return path == pattern
	}
	return path == tree || strings.HasPrefix(path, tree+"/")
}
