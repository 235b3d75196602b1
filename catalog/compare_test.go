package catalog

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func stageOrder() []string { return []string{"rehearsal", "supervised", "limited", "general"} }

// edited is the catalogue of base.txtar with texts replaced in one of its files.
func edited(t *testing.T, file string, replacements ...string) fstest.MapFS {
	t.Helper()
	all := maps.Clone(contents(t, "testdata/catalogs/base.txtar"))
	if file != "" {
		text := all[file]
		for i := 0; i < len(replacements); i += 2 {
			if !strings.Contains(text, replacements[i]) {
				t.Fatalf("%s does not contain %q", file, replacements[i])
			}
			text = strings.ReplaceAll(text, replacements[i], replacements[i+1])
		}
		all[file] = text
	}
	fsys := fstest.MapFS{}
	for name, data := range all {
		if name != "ask" && name != "want" {
			fsys[name] = &fstest.MapFile{Data: []byte(substitute(t, all, data))}
		}
	}
	return fsys
}

func loaded(t *testing.T, fsys fstest.MapFS) *Catalog {
	t.Helper()
	c, err := Load(fsys, today())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func widened(all []Comparison) []string {
	var lines []string
	for _, c := range all {
		for _, w := range c.Widenings {
			lines = append(lines, fmt.Sprintf("%s %s/%s: %s: %s", c.Automation, c.Beside, c.Release, w.Kind, w.Words))
		}
	}
	return lines
}

const triage = "releases/triage-1.yaml"

// R21: what a catalogue newly lets happen, and nothing else.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name, file string
		was, now   []string // replacements in the file
		want       []string
	}{
		{"nothing", triage, nil, nil, nil},
		{"another author", triage, nil, []string{"mail-team", "other-team"}, nil},
		{"an earlier stage", triage, nil, []string{"stage: supervised", "stage: rehearsal"}, nil},
		{"a word that no table knows", triage, nil, []string{"stage: supervised", "stage: everywhere"}, nil},
		{"a later stage", triage, nil, []string{"stage: supervised", "stage: general"}, []string{"triage 1/1: stage_later: stage general, was supervised"}},
		{"a tool less", triage, nil, []string{"[search, send]", "[search]"}, nil},
		{"a tool more", triage, []string{"[search, send]", "[search]"}, nil,
			[]string{"triage 1/1: tool_added: newly uses `send` of server `mail`: write, medium risk, undo impossible, exposure outbound"}},
		{"a statement less", triage, []string{"[search, send]", "[search, send]\n    stricter: {send: {risk: high}}"}, nil,
			[]string{"triage 1/1: trait_gentler: `send` of server `mail`: risk: medium, was high (release: release 1 of triage)"}},
		{"a statement more", triage, nil, []string{"[search, send]", "[search, send]\n    stricter: {send: {risk: high}}"}, nil},
		{"a gentler review", "reviews/mail.yaml", nil, []string{"risk: medium", "risk: low", "description: Writes", "idempotent: true\n    description: Writes"}, []string{
			"triage 1/1: trait_gentler: `send` of server `mail`: risk: low, was medium (review: review of server mail by platform-team, 2026-11-02 (contract))",
			"triage 1/1: trait_gentler: `send` of server `mail`: idempotent: true, was false (review: review of server mail by platform-team, 2026-11-02 (contract))"}},
		{"a stricter review", "reviews/mail.yaml", nil, []string{"risk: medium", "risk: high"}, nil},
		{"another credential", triage, []string{"- name: mail", "- name: mail\n    credential: team"}, []string{"- name: mail", "- name: mail\n    credential: boss"},
			[]string{"triage 1/1: credential_added: newly uses server `mail` with credential `boss`"}},
		{"any credential", triage, []string{"- name: mail", "- name: mail\n    credential: team"}, nil,
			[]string{"triage 1/1: credential_added: newly uses server `mail` with any credential"}},
		{"one of any credential", triage, nil, []string{"- name: mail", "- name: mail\n    credential: team"}, nil},
		{"a review unpinned", triage, []string{"[search, send]", "[search, send]\n    review: ${rd:reviews/mail.yaml}"}, nil,
			[]string{"triage 1/1: review_unpinned: no longer pins the review of server `mail`: a later one may loosen what it does"}},
		{"a new release", triage, nil, []string{`release: "1"`, `release: "2"`}, nil},
		{"a new automation", triage, nil, []string{"automation: triage", "automation: sorting"}, []string{
			"sorting /1: stage_later: stage supervised, was not released",
			"sorting /1: server_added: newly uses server `mail`, with any credential",
			"sorting /1: tool_added: newly uses `search` of server `mail`: read, low risk, undo trivial, exposure internal",
			"sorting /1: tool_added: newly uses `send` of server `mail`: write, medium risk, undo impossible, exposure outbound"}},
		{"another contract", "toolsets/mail.json", nil, []string{`"to": {"type": "string"}}`, `"to": {"type": "string"}, "bcc": {"type": "string"}}`},
			[]string{"triage 1/1: contract_changed: server `mail`: `send` newly accepts `bcc`"}},
		{"other prose", "toolsets/mail.json", nil, []string{"Send a message.", "Send it."}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := widened(Compare(loaded(t, edited(t, test.file, test.was...)), loaded(t, edited(t, test.file, test.now...)), stageOrder()))
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// R4, R21: a platform action that is stated gentler.
func TestCompareActions(t *testing.T) {
	old, now := edited(t, ""), edited(t, "")
	now["actions/queue.yaml"] = &fstest.MapFile{Data: []byte("workspace: demo\nactions:\n  queue/drop:\n    effect: write\n    risk: low\n    undo: impossible\n    exposure: internal\n" +
		"    description: Drops one message.\n    basis: {kind: source_code, reference: queue, by: team, at: 2026-11-01}\n    rejected: none")}
	want := []string{
		" /: action_gentler: action `queue/drop`: risk: low, was high (unclassified)",
		" /: action_gentler: action `queue/drop`: exposure: internal, was outbound (unclassified)",
	}
	if diff := gocmp.Diff(want, widened(Compare(loaded(t, old), loaded(t, now), stageOrder()))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := widened(Compare(loaded(t, now), loaded(t, old), stageOrder())); got != nil {
		t.Errorf("an action that is gone: %v", got)
	}
}

func TestCompareReleases(t *testing.T) {
	sample := sampleCatalog(t)
	c, err := sample.CompareReleases("demo", "mail-triage", "1.5", "2.0", stageOrder())
	if got := widened([]Comparison{c}); err != nil || len(got) != 1 || !strings.Contains(got[0], "trait_gentler: `read_message` of server `mail`: risk") {
		t.Errorf("%v, %v", got, err)
	}
	_, err = sample.CompareReleases("demo", "mail-triage", "1.5", "2", stageOrder())
	if !errors.Is(err, ErrUnknownRelease) || !strings.Contains(err.Error(), "write one of: 1.4, 1.5, 2.0") {
		t.Errorf("an unknown release: %v", err)
	}
}

// R21: a release that newly can do something starts in the first stage, or was
// promoted by a second person.
func TestPromotion(t *testing.T) {
	const second = "workspace: demo\nautomation: triage\nrelease: \"2\"\nstage: %s\nauthor: mail-team\n%sservers:\n  - name: mail\n    toolset: toolsets/mail.json\n" +
		"    fingerprint: ${fp:toolsets/mail.json}\n    tools: [search, send]\n"
	const needed = "not_promoted"
	for _, test := range []struct{ name, stage, more, want string }{
		{"the first stage", "rehearsal", "", ""},
		{"a stage that no table knows", "everywhere", "", ""},
		{"nobody", "supervised", "", needed},
		{"a second person", "limited", "promoted: {by: audit-team, at: 2026-11-30, to: limited}\n", ""},
		{"back to an earlier stage", "supervised", "promoted: {by: audit-team, at: 2026-11-30, to: limited}\n", ""},
		{"a later stage than that", "general", "promoted: {by: audit-team, at: 2026-11-30, to: limited}\n", needed},
		{"the author", "limited", "promoted: {by: Mail-Team, at: 2026-11-30, to: limited}\n", needed},
		{"not yet", "limited", "promoted: {by: audit-team, at: 2026-12-09, to: limited}\n", "time_in_the_future"},
		{"without a day", "limited", "promoted: {by: audit-team, to: limited}\n", "missing_field"},
		{"beside one that could do all", "supervised", "replaces: \"0.9\"\n", ""},
		{"beside one that there is not", "supervised", "replaces: \"0.8\"\n", "release_unknown"},
		{"beside itself", "rehearsal", "replaces: \"2\"\n", "release_unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys := edited(t, triage, "[search, send]", "[search]")
			all := contents(t, "testdata/catalogs/base.txtar")
			fsys["releases/2.yaml"] = &fstest.MapFile{Data: []byte(substitute(t, all, fmt.Sprintf(second, test.stage, test.more)))}
			fsys["releases/0.9.yaml"] = &fstest.MapFile{Data: []byte(strings.Replace(substitute(t, all, fmt.Sprintf(second, "general", "")), `"2"`, `"0.9"`, 1))}
			var codes []string
			for _, f := range Check(fsys, today(), stageOrder()...) {
				codes = append(codes, f.Code)
			}
			if found := slices.Contains(codes, test.want); found != (test.want != "") || test.want == "" && len(codes) > 0 {
				t.Errorf("got %v, want %q", codes, test.want)
			}
			if _, err := Load(fsys, today(), stageOrder()...); (err != nil) != (test.want != "") {
				t.Errorf("loading: %v", err)
			}
		})
	}
}

// The order of versions is one: of any three, no circle.
func TestCompareVersions(t *testing.T) {
	want := []string{"", "0.9", "1", "1.2", "1.2.0", "1.9", "1.10", "1.10-rc1", "01.11", "1.11", "2", "2026-11-30", "a", "b2", "b10"}
	for i := range want {
		for j := range want {
			if got := CompareVersions(want[i], want[j]); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%q and %q: %d", want[i], want[j], got)
			}
		}
	}
	version := rapid.StringMatching(`[01a.]{0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := version.Draw(t, "a"), version.Draw(t, "b"), version.Draw(t, "c")
		if CompareVersions(a, b) != -CompareVersions(b, a) || (CompareVersions(a, b) == 0) != (a == b) {
			t.Fatalf("%q and %q are in no order", a, b)
		}
		if CompareVersions(a, b) < 0 && CompareVersions(b, c) < 0 && CompareVersions(a, c) >= 0 {
			t.Fatalf("%q, %q, %q go in a circle", a, b, c)
		}
	})
}
