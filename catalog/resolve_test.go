package catalog

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
)

func drawTraits(t *rapid.T, label string) decisions.Traits {
	return decisions.Traits{
		Effect:     decisions.Effect(rapid.IntRange(0, 1).Draw(t, label+" effect")),
		Risk:       decisions.Risk(rapid.IntRange(0, 2).Draw(t, label+" risk")),
		Undo:       decisions.Undo(rapid.IntRange(0, 2).Draw(t, label+" undo")),
		Exposure:   decisions.Exposure(rapid.IntRange(0, 3).Draw(t, label+" exposure")),
		Single:     rapid.Bool().Draw(t, label+" single"),
		Idempotent: rapid.Bool().Draw(t, label+" idempotent"),
	}
}

func drawHints(t *rapid.T, label string) decisions.Hints {
	hint := func(name string) decisions.Hint {
		return decisions.Hint(rapid.IntRange(0, 2).Draw(t, label+" "+name))
	}
	return decisions.Hints{ReadOnly: hint("readOnly"), Destructive: hint("destructive"), Idempotent: hint("idempotent"), OpenWorld: hint("openWorld")}
}

// R3, R6: whatever review, later review, release and hints say, the effective traits
// are their pointwise strictest, and each trait's source is one that says so. The
// dumb twin looks at every statement for every trait.
func TestEffectiveTraitsAreTheStrictestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var said []decisions.Traits
		review := func(label string) *Review {
			traits := drawTraits(t, label)
			said = append(said, traits)
			return &Review{Server: "mail", Tools: map[string]*ToolReview{"send": {Name: "send", Traits: traits}}}
		}
		reviews := []*Review{review("review")}
		if rapid.Bool().Draw(t, "reviewed again") {
			reviews = append(reviews, review("later review"))
		}
		use := &ServerUse{Server: "mail", Stricter: map[string]decisions.Traits{}}
		if rapid.Bool().Draw(t, "stricter") {
			use.Stricter["send"] = drawTraits(t, "stricter")
			said = append(said, use.Stricter["send"])
		}
		tool := &Tool{Name: "send", Hints: drawHints(t, "reviewed")}
		hints := drawHints(t, "call")
		said = append(said, tool.Hints.Traits(), hints.Traits())

		list := &ToolSet{Tools: []Tool{*tool}, Fingerprint: "fp1:x"}
		pin := &Pin{ToolSet: list, hints: hintsAtCall("mail"), tools: map[string]*PinnedTool{"send": {}},
			classified: map[string]decisions.Classified{"send": classify(&Release{}, use, tool, reviews)}}
		c := &Catalog{releases: map[releaseKey]*released{{}: {pins: map[pinKey]*Pin{{"mail", ""}: pin}}}}
		got := c.Resolve(Query{Server: "mail", Tool: "send", Fingerprint: "fp1:x", Hints: hints}).Classified

		want := strictest(said)
		if got.Traits != want {
			t.Fatalf("got %+v, want %+v", got.Traits, want)
		}
		for i, source := range got.Sources {
			if source.Kind == decisions.Unclassified {
				t.Fatalf("nobody said %s", decisions.Trait(i))
			}
		}
	})
}

// strictest is the dumb twin of a chain of joins.
func strictest(said []decisions.Traits) decisions.Traits {
	out := decisions.Gentlest
	for _, s := range said {
		if s.Effect < out.Effect {
			out.Effect = s.Effect
		}
		if s.Risk < out.Risk {
			out.Risk = s.Risk
		}
		if s.Undo < out.Undo {
			out.Undo = s.Undo
		}
		if s.Exposure < out.Exposure {
			out.Exposure = s.Exposure
		}
		if !s.Single {
			out.Single = false
		}
		if !s.Idempotent {
			out.Idempotent = false
		}
	}
	return out
}

// R2, R14: a catalogue that holds nothing refuses.
func TestZeroCatalogIsTheStrictest(t *testing.T) {
	var c Catalog
	for _, q := range []Query{{}, {Server: "mail", Tool: "send", Fingerprint: "fp1:x"}} {
		if r := c.Resolve(q); r.Mismatch != MismatchUnpinned || r.Classified != (decisions.Classified{}) || r.Stage != "" {
			t.Errorf("%+v: got %+v", q, r)
		}
	}
}

// R14: the list binds every call of a server, and only the pinned one fits.
func TestOnlyThePinnedListFits(t *testing.T) {
	c := sampleCatalog(t)
	rapid.Check(t, func(t *rapid.T) {
		q := Query{
			Workspace: rapid.SampledFrom([]string{"demo", "other", ""}).Draw(t, "workspace"), Automation: "mail-triage",
			Release:     rapid.SampledFrom([]string{"1.4", "1.5", "2.0", "3", ""}).Draw(t, "release"),
			Server:      rapid.SampledFrom([]string{"mail", "crm", ""}).Draw(t, "server"),
			Credential:  rapid.SampledFrom([]string{"", "reader"}).Draw(t, "credential"),
			Method:      rapid.SampledFrom([]string{"", "tools/call", "resources/read", "prompts/get", "completion/complete"}).Draw(t, "method"),
			Tool:        rapid.SampledFrom([]string{"send_message", "search_messages", "gone", ""}).Draw(t, "tool"),
			Fingerprint: rapid.SampledFrom([]string{"", "fp1:x", samplePin(c)}).Draw(t, "fingerprint"),
		}
		r := c.Resolve(q)
		if r.Mismatch != MismatchNone || q.Server == "" && q.Method == "completion/complete" {
			return
		}
		if r.Pin == nil || q.Fingerprint != r.Pin.ToolSet.Fingerprint || q.Server != "mail" || q.Workspace != "demo" {
			t.Fatalf("%+v fits: %+v", q, r)
		}
	})
}

func sampleCatalog(t testing.TB) *Catalog {
	t.Helper()
	fsys, err := Sample()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(fsys, today())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func samplePin(c *Catalog) string {
	return c.Resolve(Query{Workspace: "demo", Automation: "mail-triage", Release: "1.5", Server: "mail"}).Pin.ToolSet.Fingerprint
}

// The path of every decision allocates nothing, with hints or without.
func TestResolveDoesNotAllocate(t *testing.T) {
	c := sampleCatalog(t)
	q := Query{Workspace: "demo", Automation: "mail-triage", Release: "1.5", Server: "mail", Tool: "send_message", Fingerprint: samplePin(c),
		ProseDigest: "pd1:other", Hints: decisions.Hints{Destructive: decisions.SaidTrue}}
	if n := testing.AllocsPerRun(100, func() { c.Resolve(q) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkResolve(b *testing.B) {
	c := sampleCatalog(b)
	q := Query{Workspace: "demo", Automation: "mail-triage", Release: "1.5", Server: "mail", Tool: "send_message", Fingerprint: samplePin(c)}
	b.ReportAllocs()
	for b.Loop() {
		c.Resolve(q)
	}
}

// Load time for a large catalogue: 1,000 tools, 100 releases.
func BenchmarkLoad(b *testing.B) {
	fsys := largeCatalog(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(fsys, today()); err != nil {
			b.Fatal(err)
		}
	}
}

func largeCatalog(b *testing.B) fstest.MapFS {
	var tools, reviews, names []string
	for i := range 1000 {
		name := fmt.Sprintf("tool_%d", i)
		names = append(names, name)
		tools = append(tools, fmt.Sprintf(`{"name": %q, "inputSchema": {"type": "object", "properties": {"id": {"type": "integer"}, "note": {"type": "string"}}, "required": ["id"]}}`, name))
		reviews = append(reviews, "  "+name+": {effect: write, risk: high, undo: impossible, exposure: outbound, description: Does one thing.}")
	}
	list := `{"tools": [` + strings.Join(tools, ",") + `]}`
	ts, err := ParseToolSet([]byte(list))
	if err != nil {
		b.Fatal(err)
	}
	fsys := fstest.MapFS{
		"toolsets/big.json": {Data: []byte(list)},
		"reviews/big.yaml": {Data: []byte("workspace: w\nserver: big\ntoolset: toolsets/big.json\nprose_digest: " + ts.ProseDigest +
			"\ntools:\n" + strings.Join(reviews, "\n"))},
	}
	for i := range 100 {
		fsys[fmt.Sprintf("releases/r%d.yaml", i)] = &fstest.MapFile{Data: []byte(fmt.Sprintf(
			"workspace: w\nautomation: a\nrelease: \"%d\"\nstage: general\nauthor: team\nservers:\n  - name: big\n    toolset: toolsets/big.json\n    fingerprint: %s\n    tools: [%s]\n",
			i, ts.Fingerprint, strings.Join(names[:20], ", ")))}
	}
	return fsys
}
