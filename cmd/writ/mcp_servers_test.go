package main

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// The reference servers, each as it was reviewed and, where the test swaps it, as it
// is afterwards. No list of theirs is recorded: each is fetched here.
var (
	files    = npmPackage{"server-filesystem", "2025.12.18"}
	memory   = npmPackage{"server-memory", "2025.8.4"}
	thinking = npmPackage{"server-sequential-thinking", "2026.7.4"}
	all      = npmPackage{"server-everything", "2026.8.31"}

	// The same inputs; move_file admits that it destroys.
	filesHints = npmPackage{"server-filesystem", "2026.8.31"}
	// The same inputs; titles, $schema and output schemas are new.
	memoryProse = npmPackage{"server-memory", "2025.11.25"}
	// Three booleans may be strings.
	thinkingInputs = npmPackage{"server-sequential-thinking", "2026.8.31"}
)

// TestRealServers: what a reviewer, an operator and a gateway do with real MCP servers,
// from the first fetch to the verified log.
func TestRealServers(t *testing.T) {
	requireNode(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	installAll(t, []npmPackage{files, memory, thinking, all, filesHints, memoryProse, thinkingInputs})

	connections := []connection{
		{"files", files, filesystemReview()}, {"memory", memory, memoryReview()},
		{"thinking", thinking, thinkingReview()}, {"all", all, everythingReview()},
	}
	l := newLab(t)
	for _, c := range connections {
		l.review(t, c)
	}
	l.release(t, "1.0", "limited", connections)
	l.release(t, "1.1", "supervised", connections)
	l.release(t, "2.0", "rehearsal", connections)
	l.writ(t, exitOK, "catalog", "check", l.catalog)

	stop := l.serve(t)
	lists := map[string]held{}
	for _, c := range connections {
		lists[c.name] = l.observe(t, c.name, l.fetch(t, c.at))
	}
	t.Run("four outcomes", func(t *testing.T) { fourOutcomes(t, l, lists) })
	t.Run("arguments", func(t *testing.T) { misfits(t, l, lists) })
	t.Run("inputs change", func(t *testing.T) { inputsChange(t, l, lists["thinking"]) })
	t.Run("prose changes", func(t *testing.T) { proseChanges(t, l, lists["memory"]) })
	t.Run("a hint turns", func(t *testing.T) { hintTurns(t, l, lists["files"]) })
	l.verify(t) // while it serves
	stop()
	l.verify(t)
}

const (
	aRun     = writv1.Outcome_OUTCOME_RUN
	anAwait  = writv1.Outcome_OUTCOME_AWAIT_APPROVAL
	aRecord  = writv1.Outcome_OUTCOME_RECORD_ONLY
	aRefusal = writv1.Outcome_OUTCOME_REFUSE
)

// R1, R10–R12, R14, R23: real calls with their real lists, in all four outcomes.
func fourOutcomes(t *testing.T, l *lab, lists map[string]held) {
	forget := `{"entityNames": ["old customer"]}`
	for _, c := range []struct {
		release, server, tool, arguments string
		change                           func(*writv1.DecideRequest)
		outcome                          writv1.Outcome
		code                             string
	}{
		{"1.0", "files", "read_text_file", `{"path": "a.txt", "head": 3}`, nil, aRun, "read_low"},
		{"1.0", "files", "create_directory", `{"path": "2026"}`, nil, aRun, "write_low"},
		{"1.0", "memory", "search_nodes", `{"query": "invoice"}`, nil, aRun, "read_low"},
		{"1.0", "all", "get-sum", `{"a": 1.5, "b": -2}`, nil, aRun, "read_low"},
		{"1.0", "thinking", "sequentialthinking",
			`{"thought": "count", "nextThoughtNeeded": true, "thoughtNumber": 1, "totalThoughts": 2}`, nil, aRun, "read_low"},

		// Read-only by its hint, and it hands over credentials.
		{"1.0", "all", "get-env", `{}`, nil, anAwait, "exposes_sensitive"},
		{"1.0", "files", "write_file", `{"path": "a.txt", "content": ""}`, nil, anAwait, "write_final"},
		{"1.0", "memory", "delete_entities", forget, func(r *writv1.DecideRequest) {
			r.Scope = &writv1.Scope{Selection: "named", Count: 1}
		}, anAwait, "write_final"},

		{"1.1", "files", "write_file", `{"path": "a.txt", "content": ""}`, nil, aRecord, "write_high"},
		{"2.0", "memory", "create_entities",
			`{"entities": [{"name": "n", "entityType": "t", "observations": []}]}`, nil, aRecord, "write_low"},

		{"1.0", "memory", "delete_entities", forget, nil, aRefusal, "scope_missing"},
		{"1.0", "all", "echo", `{"message": "hello"}`, func(r *writv1.DecideRequest) {
			r.ToolsetFingerprint = ""
		}, aRefusal, "toolset_missing"},
		{"3.0", "all", "echo", `{"message": "hello"}`, nil, aRefusal, "toolset_unpinned"},
	} {
		call := lists[c.server].call(c.release, c.tool, c.arguments)
		if c.change != nil {
			c.change(call)
		}
		answer, _ := l.decide(t, call)
		r := answer.Response()
		if r.GetOutcome() != c.outcome || r.GetReason().GetCode() != c.code || answer.MayRun(time.Now()) != (c.outcome == aRun) {
			t.Errorf("%s %s.%s: %v, want %v %s", c.release, c.server, c.tool, r, c.outcome, c.code)
		}
		if len(r.GetWarnings()) > 0 {
			t.Errorf("%s %s.%s: the list is the reviewed one, and the answer warns: %v", c.release, c.server, c.tool, r.GetWarnings())
		}
	}
}

// R18: what does not fit the real schema is refused, with the place.
func misfits(t *testing.T, l *lab, lists map[string]held) {
	for _, c := range []struct{ server, tool, arguments, says string }{
		{"files", "read_text_file", `{"path": 7}`, "/path"},
		{"files", "read_text_file", `{"head": 3}`, "/path"},
		{"files", "edit_file", `{"path": "a.txt", "edits": [{"oldText": "x", "newText": "y"}, {"oldText": "x"}]}`, "/edits/1/newText"},
		{"memory", "create_entities", `{"entities": {"name": "n"}}`, "/entities"},
		{"all", "get-structured-content", `{"location": "Berlin"}`, "/location"},
		{"thinking", "sequentialthinking",
			`{"thought": "count", "nextThoughtNeeded": true, "thoughtNumber": 0, "totalThoughts": 2}`, "/thoughtNumber"},
	} {
		answer, _ := l.decide(t, lists[c.server].call("1.0", c.tool, c.arguments))
		r := answer.Response()
		if r.GetOutcome() != aRefusal || r.GetReason().GetCode() != "arguments_invalid" || !strings.Contains(r.GetReason().GetSentence(), c.says) {
			t.Errorf("%s.%s %s: %v, want arguments_invalid that names %s", c.server, c.tool, c.arguments, r, c.says)
		}
	}
}

// R13, R14: a version whose inputs differ is refused, with the difference in words.
func inputsChange(t *testing.T, l *lab, reviewed held) {
	const thought = `{"thought": "count", "nextThoughtNeeded": true, "thoughtNumber": 1, "totalThoughts": 2}`
	swapped := l.fetch(t, thinkingInputs)

	unseen := reviewed.call("1.0", "sequentialthinking", thought)
	l.write(t, "../swapped.json", swapped)
	unseen.ToolsetFingerprint = strings.TrimSpace(l.writ(t, exitOK, "toolset", "fingerprint", l.catalog+"/../swapped.json"))
	answer, _ := l.decide(t, unseen)
	if r := answer.Response(); r.GetReason().GetCode() != "toolset_changed" || !strings.Contains(r.GetReason().GetSentence(), "was not shown") {
		t.Errorf("a list that nobody showed: %v", r)
	}

	now := l.observe(t, "thinking", swapped)
	answer, entry := l.decide(t, now.call("1.0", "sequentialthinking", thought))
	r := answer.Response()
	const says = "`sequentialthinking`: `isRevision` type changed from boolean to [\"boolean\",\"string\"]; " +
		"`sequentialthinking`: `needsMoreThoughts` type changed from boolean to [\"boolean\",\"string\"]; " +
		"`sequentialthinking`: `nextThoughtNeeded` type changed from boolean to [\"boolean\",\"string\"]"
	if r.GetOutcome() != aRefusal || r.GetReason().GetCode() != "toolset_changed" || !strings.Contains(r.GetReason().GetSentence(), says) {
		t.Errorf("the inputs changed: %v\nwant toolset_changed: %s", r, says)
	}
	if logged := strings.Join(entry.GetEntry().GetDecision().GetToolsetChanges(), "; "); logged != says {
		t.Errorf("the log holds other differences: %s", logged)
	}

	answer, _ = l.decide(t, reviewed.call("1.0", "sequentialthinking", thought))
	if !answer.MayRun(time.Now()) {
		t.Errorf("the reviewed list still runs, but: %v", answer.Response())
	}
}

// R15: other titles, $schema and output schemas have the same fingerprint: the call
// runs, with a warning.
func proseChanges(t *testing.T, l *lab, reviewed held) {
	now := l.observe(t, "memory", l.fetch(t, memoryProse))
	if now.seen.GetToolsetFingerprint() != reviewed.seen.GetToolsetFingerprint() {
		t.Errorf("only prose changed, and the fingerprint too: %v", now.seen.GetDifferences())
	}
	if now.seen.GetProseDigest() == reviewed.seen.GetProseDigest() {
		t.Error("the prose digest does not tell the versions apart")
	}
	answer, _ := l.decide(t, now.call("1.0", "search_nodes", `{"query": "invoice"}`))
	r := answer.Response()
	if !answer.MayRun(time.Now()) || len(r.GetWarnings()) != 1 || !strings.Contains(r.GetWarnings()[0], "server memory are not the ones that were reviewed") {
		t.Errorf("only prose changed: %v, want RUN with a warning", r)
	}
}

// R6, R15: a server that comes to admit that a tool destroys has the same fingerprint;
// the hint travels with the call, and tightens it.
func hintTurns(t *testing.T, l *lab, reviewed held) {
	const move = `{"source": "a.txt", "destination": "b.txt"}`
	answer, _ := l.decide(t, reviewed.call("1.1", "move_file", move))
	if r := answer.Response(); r.GetOutcome() != anAwait || len(r.GetWarnings()) > 0 {
		t.Errorf("as reviewed: %v, want AWAIT_APPROVAL", r)
	}

	now := l.observe(t, "files", l.fetch(t, filesHints))
	if now.seen.GetToolsetFingerprint() != reviewed.seen.GetToolsetFingerprint() {
		t.Errorf("only prose and hints changed, and the fingerprint too: %v", now.seen.GetDifferences())
	}
	answer, entry := l.decide(t, now.call("1.1", "move_file", move))
	r := answer.Response()
	if r.GetOutcome() != aRecord || r.GetReason().GetCode() != "write_high" ||
		sourceOf(r.GetTraits(), writv1.Trait_TRAIT_RISK).GetKind() != "hint_at_call" || len(r.GetWarnings()) != 1 {
		t.Errorf("destructiveHint turned true: %v, want RECORD_ONLY for a risk that the hint raised, with a warning", r)
	}
	if !entry.GetEntry().GetDecision().GetHints().GetDestructive() {
		t.Error("the log does not say that the hint was sent")
	}
}
