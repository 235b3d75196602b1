package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	gocmp "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

const draftList = `{"tools": [
  {"name": "search", "description": "Search the mailbox for messages that match.", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}, "annotations": {"readOnlyHint": true}},
  {"name": "send", "description": "Send a message.", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": true}},
  {"name": "list_a", "inputSchema": {"type": "object"}}, {"name": "list_b", "inputSchema": {"type": "object"}}
]}`

// draftOf opens a review of draftList that has these tools.
func draftOf(t testing.TB, tools string) *ReviewDraft {
	t.Helper()
	ts, err := ParseToolSet([]byte(draftList))
	if err != nil {
		t.Fatal(err)
	}
	d, err := OpenReviewDraft(fstest.MapFS{
		"toolsets/mail.json": {Data: []byte(draftList)},
		"reviews/mail.yaml": {Data: []byte("workspace: demo\nserver: mail # the shared one\ntoolset: toolsets/mail.json\nprose_digest: " +
			ts.ProseDigest + "\ntools:" + tools)},
	}, "reviews/mail.yaml", today())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// toolsIn returns what stands below "tools:".
func toolsIn(d *ReviewDraft) string {
	_, tools, _ := strings.Cut(string(d.Data), "\ntools:")
	return tools
}

func gentle() Stating {
	no := false
	return Stating{Effect: "read", Risk: "low", Undo: "trivial", Exposure: "internal", Collection: &no, Description: "Looks it up.",
		Kind: "source_code", Reference: "handler.go, line 7", By: "platform-team", At: "2026-11-01", Rejected: "exposure sensitive: headers only"}
}

// editCase is a tool's entry, what is stated, and the entry afterwards.
type editCase struct {
	tools string
	state Stating
	want  string
}

// An edit touches what it states, in any layout, and keeps comments and order.
var editCases = map[string]editCase{
	"keys keep their comments and places": {`
  # Above.
  search:
    risk: high # for now
    # between
    effect: write

    undo: impossible
    exposure: outbound
    description: Looks. # words
  send:
    effect: write`, Stating{Risk: "medium", Boundary: "Stays.", Kind: "contract", Reference: "c 7", By: "me", At: "2026-11-01", Rejected: "x: y"}, `
  # Above.
  search:
    risk: medium  # for now
    # between
    effect: write

    undo: impossible
    exposure: outbound
    description: Looks. # words
    boundary: Stays.
    basis: {kind: contract, reference: c 7, by: me, at: 2026-11-01}
    rejected: "x: y"
  send:
    effect: write
`},
	"a skeleton loses its placeholders": {`

  # Group.

  search:
    #| (untrusted) words
    effect:       # write | read
    risk:         # high | medium | low
    undo:         # impossible | possible | trivial
    exposure:     # outbound | sensitive | internal | none
    collection:   # true (the default) | false
    idempotent:   # false (the default) | true
    description:
    basis:        # {kind: , reference: , by: , at: }
    rejected:
`, gentle(), `

  # Group.

  search:
    #| (untrusted) words
    effect: read
    risk: low
    undo: trivial
    exposure: internal
    collection: false
    idempotent:   # false (the default) | true
    description: Looks it up.
    basis: {kind: source_code, reference: "handler.go, line 7", by: platform-team, at: 2026-11-01}
    rejected: "exposure sensitive: headers only"
`},
	"a tool in braces gets lines": {`
  search: {effect: write, risk: high, # why
    undo: {can: impossible}, exposure: outbound, description: "He said: no"}
  # After.
`, Stating{Description: "It looks: all."}, `
  search:  # why
    effect: write
    risk: high
    undo: {can: impossible}
    exposure: outbound
    description: "It looks: all."
  # After.
`},
	"texts over several lines": {`
  search:
    description: |
      Looks
      # this is text
    # this is none
    boundary: "It # says
      # still" # a comment
    undo:
      can: possible # c1
      who: a
      # c2
      needs: b
      within: c
      consumed_by: d
    effect: write
`, Stating{Description: "New.", Boundary: "Same.", Undo: "impossible"}, `
  search:
    description: New.
    # this is none
    # a comment
    boundary: Same.
    # c1
    # c2
    undo: impossible
    effect: write
`},
	"nothing stated yet": {`
  search: # todo
  # end`, Stating{Effect: "write"}, `
  search:  # todo
    effect: write
  # end
`},
	"a mark goes when someone has looked": {`
  search:
    recheck: # after 2.0
      - "the description changed"
    effect: write
`, Stating{Kind: "observation", Reference: "r", By: "b", At: "2026-11-01"}, `
  search:
    # after 2.0
    effect: write
    basis: {kind: observation, reference: r, by: b, at: 2026-11-01}
`},
}

func TestSetEditsOnlyWhatItStates(t *testing.T) {
	for name, c := range editCases {
		t.Run(name, func(t *testing.T) {
			for _, eol := range []string{"\n", "\r\n"} {
				d := draftOf(t, strings.ReplaceAll(c.tools, "\n", eol))
				after, _, err := d.Set([]string{"search"}, c.state)
				if err != nil {
					t.Fatal(err)
				}
				if diff := gocmp.Diff(strings.ReplaceAll(c.want, "\n", eol), toolsIn(after)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

// Several tools at once, by pattern; those that only the list holds are added.
func TestSetByPattern(t *testing.T) {
	after, names, err := draftOf(t, " {}\n").Set([]string{"list_*", "search"}, gentle())
	if err != nil || fmt.Sprint(names) != "[list_a list_b search]" {
		t.Fatalf("got %v, %v", names, err)
	}
	for _, s := range after.Tools() {
		if s.Open() {
			t.Errorf("still open: %v", s)
		}
	}
	if list := after.found; len(list) > 0 {
		t.Errorf("got %v", list)
	}
}

// What a check would refuse is refused before anything is written, all at once (R5, R8,
// R19, R20).
func TestSetRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		tools []string
		state func(*Stating)
		want  []string
	}{
		"wrong words": {[]string{"search"}, func(s *Stating) { s.Effect, s.Risk, s.Exposure = "raed", "none", "a: [b" },
			[]string{"effect: got \"raed\"; did you mean read?", "risk: got \"none\"", "exposure: got \"a: [b\""}},
		"said once for several": {[]string{"search", "list_*"}, func(s *Stating) { s.Risk = "lo" }, []string{"search, list_a, list_b: risk: got \"lo\""}},
		"no basis":              {[]string{"search"}, func(s *Stating) { s.Kind = "" }, []string{"without basis (R5)"}},
		"neither":               {[]string{"search"}, func(s *Stating) { s.Kind, s.Rejected = "", "" }, []string{"without basis and rejected (R5)"}},
		"the server's hint":     {[]string{"search"}, func(s *Stating) { s.Kind = "server_hint" }, []string{"[basis_refused]"}},
		"the server's words":    {[]string{"search"}, func(s *Stating) { s.Description = "Searches a mailbox for messages that match" }, []string{"description: description repeats", "[not_own_words]"}},
		"quoted":                {[]string{"search"}, func(s *Stating) { s.Reference = "search the mailbox for messages that match" }, []string{"basis: reference repeats"}},
		"hints":                 {[]string{"send"}, func(*Stating) {}, []string{"review it as effect: write", "review it as risk: high", "review it as undo: impossible"}},
		"undo without words":    {[]string{"search"}, func(s *Stating) { s.Undo = "possible" }, []string{"undo: undo is possible, but not how"}},
		"undo without all":      {[]string{"search"}, func(s *Stating) { s.Undo, s.Plan.Who = "possible", "a" }, []string{"undo: undo is possible, but not how"}},
		"the future":            {[]string{"search"}, func(s *Stating) { s.At = "2026-12-24" }, []string{"basis: 2026-12-24 is in the future"}},
		"no date":               {[]string{"search"}, func(s *Stating) { s.At = "yes: no" }, []string{"basis: expected a date"}},
		"no reference":          {[]string{"search"}, func(s *Stating) { s.Reference = "" }, []string{"reference"}},
		"invisible":             {[]string{"search"}, func(s *Stating) { s.Rejected = "a\u200bb" }, []string{"rejected: the text holds control or invisible"}},
		"no such tool":          {[]string{"serch", "x*"}, func(*Stating) {}, []string{`no tool "serch": did you mean search?`, `no tool "x*"`}},
		"nothing":               {[]string{"search"}, func(s *Stating) { *s = Stating{} }, []string{"nothing is stated"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := gentle()
			c.state(&s)
			after, _, err := draftOf(t, "\n  search:\n  send:\n").Set(c.tools, s)
			if after != nil || !errors.Is(err, ErrRefused) {
				t.Fatalf("got %v, %v", after, err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is missing in: %v", want, err)
				}
			}
		})
	}
}

// What can't be edited without guessing says so.
func TestLayoutsThatAreNotEdited(t *testing.T) {
	d := draftOf(t, " {search: {effect: write}}\n")
	if _, _, err := d.Set([]string{"search"}, Stating{Risk: "high"}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "a line of its own") {
		t.Errorf("got %v", err)
	}
	for text, code := range map[string]string{
		"tools: {a: &x b}\n": codeAlias, "tools:\n  a:\n  a:\n": codeDuplicateKey, "tools: [a]\n": codeWrongType, "": codeSyntax, "a: [": codeSyntax,
		"a: b\u2028\ntools: {}\n": codeSyntax, "tools: {}\n": codeMissing, "toolset: toolsets/gone.json\ntools: {}\n": codeUnreadable, "toolset: ../x.json\ntools: {}\n": codeUnreadable,
	} {
		_, err := OpenReviewDraft(fstest.MapFS{"reviews/a.yaml": {Data: []byte(text)}}, "reviews/a.yaml", today())
		var refused *FindingsError
		if !errors.As(err, &refused) || !hasCode(refused.Findings, code) {
			t.Errorf("%q: got %v, want %s", text, err, code)
		}
	}
}

// Over random layouts: what is stated is there, all else is as it was, every comment is
// still there, and what stands outside of the tool is the same bytes.
func TestSetKeepsTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, inside, after := drawTool(t, "a"), drawTool(t, "search"), drawTool(t, "send")
		d := draftOf(discard{}, "\n"+before+inside+after)
		s := drawStating(t)
		next, _, err := d.Set([]string{"search"}, s)
		if err != nil {
			if strings.Contains(err.Error(), "layout") || !errors.Is(err, ErrRefused) {
				t.Fatalf("%v\n%s", err, inside)
			}
			return
		}
		got := toolsIn(next)
		rest, found := strings.CutPrefix(got, "\n"+before)
		edited, same := strings.CutSuffix(rest, after)
		if !found || !same {
			t.Fatalf("what stands around changed:\n%s\nwas\n%s", got, toolsIn(d))
		}
		for _, comment := range regexp.MustCompile(`# ([ct]\d+-.*|why|more|none yet)`).FindAllString(inside, -1) {
			if !strings.Contains(edited, comment) {
				t.Fatalf("the comment %q is lost:\n%s\nwas\n%s", comment, edited, inside)
			}
		}
		again, _, err := next.Set([]string{"search"}, s)
		if err != nil || toolsIn(again) != got {
			t.Fatalf("stating it again changes it: %v\n%s\nwas\n%s", err, toolsIn(again), got)
		}
	})
}

// drawTool writes a tool's entry in one of many layouts.
func drawTool(t *rapid.T, name string) string {
	n := 0
	comment := func(indent string) string {
		n++
		return rapid.SampledFrom([]string{"", "\n", fmt.Sprintf("%s# c%d-%s 'it\"\n", indent, n, name)}).Draw(t, "comment")
	}
	trailing := func() string {
		n++
		return rapid.SampledFrom([]string{"", fmt.Sprintf("  # t%d-%s it's", n, name)}).Draw(t, "trailing")
	}
	var b strings.Builder
	b.WriteString(comment("  ") + "  " + name + ":" + trailing() + "\n" + comment("    "))
	values := map[string][]string{
		"effect": {"write", "\"write\"", "# none yet"}, "risk": {"high", "'high'"}, "undo": {"impossible", "{can: impossible}", "\n      can: impossible # why\n      # more"},
		"exposure": {"outbound"}, "description": {"Own it's words", "'It''s # none'", "\"a \\\" # b\"", "|\n      One\n      # text\n\n      two", ">-\n      folded", "plain\n      over lines", "\"quoted # no\n      over lines\""},
		"boundary": {"Stays"}, "basis": {"{kind: contract, reference: \"r, # s\", by: b, at: 2026-01-02}", "\n      kind: contract\n      reference: r\n      by: b\n      at: 2026-01-02"},
		"rejected": {"none"}, "recheck": {"[why]", "\n      - why # t"},
	}
	for _, key := range rapid.Permutation(sortedKeys(values)).Draw(t, "order") {
		if !rapid.Bool().Draw(t, key) {
			continue
		}
		value := rapid.SampledFrom(values[key]).Draw(t, "value")
		end := ""
		if !strings.ContainsAny(value, "\n#") || strings.HasPrefix(value, "{") {
			end = trailing()
		}
		b.WriteString("    " + key + ": " + value + end + "\n" + comment("    "))
	}
	return b.String()
}

func drawStating(t *rapid.T) Stating {
	pick := func(values ...string) string { return rapid.SampledFrom(append(values, "")).Draw(t, "state") }
	s := Stating{Effect: pick("write"), Risk: pick("high"), Undo: pick("impossible"), Exposure: pick("outbound"),
		Description: pick("It's \"mine\": #1", "Plain", "Zwei Wörter\nund mehr"), Boundary: pick("No, never"), Rejected: pick("a: b", "- c")}
	if rapid.Bool().Draw(t, "basis") {
		s.Kind, s.Reference, s.By, s.At = "contract", pick("c 7", "{x}")+".", "me", "2026-11-01"
	}
	return s
}

// discard is a testing.TB for what can't fail.
type discard struct{ testing.TB }

func (discard) Helper()        {}
func (discard) Fatal(a ...any) { panic(fmt.Sprint(a...)) }

// Every text can be written and read back.
func FuzzYAMLText(f *testing.F) {
	for _, s := range []string{"a", "no", "1", "a: b", "a #b", "- a", "é\u0301", "\x00", "a\nb", "\\", "\"", "{", "a\u2028", "~", "a ", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var read struct{ A, B string }
		text := yamlText(s)
		if err := yaml.Unmarshal([]byte("a: "+text+"\nb: x\n"), &read); err != nil || read.A != strings.ToValidUTF8(s, "\uFFFD") || read.B != "x" {
			t.Fatalf("%q is written as %s and read as %q, %v", s, text, read.A, err)
		}
		var within []map[string]string
		if err := yaml.Unmarshal([]byte("[{k: "+text+", l: m}]"), &within); err != nil || within[0]["k"] != read.A || within[0]["l"] != "m" {
			t.Fatalf("%q within braces: %v, %v", s, within, err)
		}
	})
}
