package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func mustParse(t *testing.T, pages ...string) *ToolSet {
	t.Helper()
	input := make([][]byte, len(pages))
	for i := range pages {
		input[i] = []byte(pages[i])
	}
	ts, err := ParseToolSet(input...)
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

// pay is a list of one tool with that input schema.
func pay(schema string) string { return `[{"name":"pay","inputSchema":` + schema + `}]` }

// R14: the difference in words, most dangerous first.
func TestDiff(t *testing.T) {
	for _, test := range []struct{ name, from, to, want string }{
		{"nothing", pay(`{"type":"object"}`), pay(`{"type":"object","required":[]}`), ``},
		{"tools come and go", `[{"name":"b"},{"name":"a"}]`, `[{"name":"a"},{"name":"get_x"}]`, "`get_x` is new\n`b` is gone"},
		{"newly required", pay(`{"properties":{"to":{}}}`), pay(`{"properties":{"to":{},"bcc":{}},"required":["bcc"]}`),
			"`pay` newly requires `bcc`"},
		{"required, was optional", pay(`{"properties":{"to":{}}}`), pay(`{"properties":{"to":{}},"required":["to"]}`),
			"`pay` newly requires `to`, which was optional"},
		{"required, not described", pay(`{}`), pay(`{"required":["to"]}`), "`pay` newly requires `to`"},
		{"optional", pay(`{"properties":{"to":{}}}`), pay(`{"properties":{"bcc":{}}}`),
			"`pay` newly accepts `bcc`\n`pay` no longer describes `to`"},
		{"no longer required", pay(`{"properties":{"to":{}},"required":["to"]}`), pay(`{"properties":{"to":{}}}`),
			"`pay` no longer requires `to`"},
		{"gone, was required", pay(`{"properties":{"to":{}},"required":["to"]}`), pay(`{"properties":{}}`),
			"`pay` no longer describes `to`\n`pay` no longer requires `to`"},
		{"type", pay(`{"properties":{"amount":{"type":"integer"}}}`), pay(`{"properties":{"amount":{"type":"string"}}}`),
			"`pay`: `amount` type changed from integer to string"},
		{"type set", pay(`{"type":"object"}`), pay(`{"type":["object","null"]}`), "`pay`: type changed from object to [\"null\",\"object\"]"},
		{"type lost", pay(`{"type":"object"}`), pay(`{}`), "`pay`: type changed from object to unsaid"},
		{"enum", pay(`{"properties":{"mode":{"enum":["a","b"]}}}`), pay(`{"properties":{"mode":{"enum":["c","b",1]}}}`),
			"`pay`: `mode` newly allows \"c\", 1\n`pay`: `mode` no longer allows \"a\""},
		{"enum lost", pay(`{"properties":{"mode":{"enum":["a"]}}}`), pay(`{"properties":{"mode":{}}}`),
			"`pay`: `mode` enum changed from [\"a\"] to unsaid"},
		{"bounds", pay(`{"properties":{"n":{"maximum":10,"minimum":1}}}`), pay(`{"properties":{"n":{"maximum":1e3}}}`),
			"`pay`: `n` maximum changed from 10 to 1000, which is wider\n`pay`: `n` minimum changed from 1 to unsaid, which is wider"},
		{"narrower bounds", pay(`{"properties":{"n":{"maximum":10,"minLength":1}}}`), pay(`{"properties":{"n":{"maximum":9.5,"minLength":2,"maxItems":3}}}`),
			"`pay`: `n` maxItems changed from unsaid to 3, which is narrower\n`pay`: `n` maximum changed from 10 to 9.5, which is narrower\n" +
				"`pay`: `n` minLength changed from 1 to 2, which is narrower"},
		{"bounds beyond a double", pay(`{"properties":{"n":{"maximum":9007199254740992}}}`), pay(`{"properties":{"n":{"maximum":9007199254740993}}}`),
			"`pay`: `n` maximum changed from 9007199254740992 to 9007199254740993, which is wider"},
		{"odd bounds", pay(`{"exclusiveMinimum":true}`), pay(`{"exclusiveMinimum":false}`), "`pay`: exclusiveMinimum changed from true to false"},
		{"default", pay(`{"properties":{"dry":{"default":true}}}`), pay(`{"properties":{"dry":{"default":false}}}`),
			"`pay`: `dry` default changed from true to false"},
		{"pattern", pay(`{"properties":{"id":{"pattern":"^a$"}}}`), pay(`{"properties":{"id":{"pattern":"^b$"}}}`),
			"`pay`: `id` pattern changed from \"^a$\" to \"^b$\""},
		{"depth", pay(`{"properties":{"lines":{"items":{"properties":{"price":{"type":"number"}}}}}}`),
			pay(`{"properties":{"lines":{"items":{"properties":{"price":{"type":"string"},"tax":{}},"required":["tax"]}}}}`),
			"`pay` newly requires `lines[].tax`\n`pay`: `lines[].price` type changed from number to string"},
		{"parts", pay(`{"anyOf":[{"type":"object"},{"type":"null"}],"$defs":{"x":{"const":1},"y":{}}}`), pay(`{"anyOf":[{"type":"array"}],"$defs":{"x":{"const":2},"z":{}}}`),
			"`pay`: `$defs.y` was removed\n`pay`: `anyOf[1]` was removed\n`pay`: `anyOf[0]` type changed from object to array\n" +
				"`pay`: `$defs.x` const changed from 1 to 2\n`pay`: `$defs.z` was added"},
		{"additionalProperties", pay(`{"additionalProperties":false}`), pay(`{}`), "`pay`: additionalProperties changed from false to unsaid"},
		{"additionalProperties deep", pay(`{"additionalProperties":{"type":"string"}}`), pay(`{"additionalProperties":{"type":"number"}}`),
			"`pay`: `additionalProperties` type changed from string to number"},
		{"boolean", pay(`{"properties":{"a":true}}`), pay(`{"properties":{"a":{"type":"null"}}}`),
			"`pay`: `a` schema changed from true to {\"type\":\"null\"}"},
		{"empty properties", pay(`{}`), pay(`{"properties":{}}`), "`pay`: properties changed from unsaid to {}"},
		{"odd required", pay(`{"required":true}`), pay(`{"required":[1]}`), "`pay`: required changed from true to [1]"},
		{"schema gone", pay(`{}`), `[{"name":"pay"}]`, "`pay` no longer has an input schema"},
		{"schema come", `[{"name":"pay"}]`, pay(`{}`), "`pay` now has an input schema"},
		{"hint, and prose", `[{"name":"move_file","description":"a","annotations":{"destructiveHint":false,"readOnlyHint":true}}]`,
			`[{"name":"move_file","description":"b","annotations":{"destructiveHint":true,"readOnlyHint":true,"title":"Move"}}]`,
			"`move_file` destructiveHint went from false to true\n`move_file`: the annotation title changed\n`move_file`: the description changed"},
		{"hint softened", `[{"name":"a","annotations":{"destructiveHint":true,"readOnlyHint":false}}]`, `[{"name":"a","annotations":{"readOnlyHint":true}}]`,
			"`a` destructiveHint went from true to unsaid\n`a` readOnlyHint went from false to true"},
		{"input prose", pay(`{"properties":{"amount":{"description":"in EUR"},"b":{"items":{"title":"t"}}}}`), pay(`{"$schema":"x","properties":{"amount":{"description":"in USD"},"b":{"items":{}}}}`),
			"`pay`: the $schema changed\n`pay`: the description of `amount` changed\n`pay`: the title of `b[]` changed"},
		{"output schema", `[{"name":"a"}]`, `[{"name":"a","outputSchema":{}}]`, "`a`: the output schema changed"},
		{"annotations without hints", `[{"name":"a"},{"name":"b"}]`, `[{"name":"a","annotations":{}},{"name":"b","annotations":{"readOnlyHint":null}}]`,
			"`a`: the annotations changed, but no hint in them\n`b`: the annotations changed, but no hint in them"},
		{"hostile names", `[]`, "[{\"name\":\"a`\\u202e\\u001b[31m\\ud83d\\ude00\"}]", "`a'[31m😀` is new"},
		{"unseen", pay(`{"const":"a"}`), pay(`{"const":"a\u200b"}`), "`pay`: const changed from \"a\" in what is not shown"},
	} {
		var got []string
		for _, change := range Diff(mustParse(t, test.from), mustParse(t, test.to)) {
			got = append(got, change.Words)
		}
		if got := strings.Join(got, "\n"); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestDiffIsBounded(t *testing.T) {
	long := strings.Repeat("é", 5000)
	from := pay(fmt.Sprintf(`{"properties":{%q:{"properties":{%q:{"const":%q}}}}}`, long, long, long))
	for _, change := range Diff(mustParse(t, from), mustParse(t, strings.Replace(from, "const", "default", 1))) {
		if len(change.Words) > 600 || len(change.Path) > 200 {
			t.Errorf("%d bytes: %s", len(change.Words), change.Words)
		}
	}
}

// A hint that is taken back is as dangerous as one that turns unsafe; only a plain
// gentle word is less.
func TestDiffHintDanger(t *testing.T) {
	list := func(annotations string) string { return `[{"name":"a","annotations":` + annotations + `}]` }
	for _, test := range []struct {
		from, to string
		want     Danger
	}{
		{`{"destructiveHint":false}`, `{"destructiveHint":true}`, NewPower},
		{`{"destructiveHint":true}`, `{"destructiveHint":false}`, LessPower},
		{`{"destructiveHint":true}`, `{}`, NewPower},
		{`{"readOnlyHint":true}`, `{"readOnlyHint":false}`, NewPower},
		{`{"readOnlyHint":false}`, `{"readOnlyHint":true}`, LessPower},
		{`{"openWorldHint":false}`, `{"openWorldHint":true}`, NewPower},
		{`{"idempotentHint":true}`, `{"idempotentHint":false}`, NewPower},
	} {
		changes := Diff(mustParse(t, list(test.from)), mustParse(t, list(test.to)))
		if len(changes) != 1 || changes[0].Danger != test.want || changes[0].Kind != HintChanged || changes[0].Contract {
			t.Errorf("%s to %s: %+v, want %v", test.from, test.to, changes, test.want)
		}
	}
}

func TestChangeAsJSON(t *testing.T) {
	changes := Diff(mustParse(t, pay(`{}`)), mustParse(t, pay(`{"properties":{"bcc":{}},"required":["bcc"]}`)))
	want := `[{"kind":"input_required","danger":"new_power","contract":true,"tool":"pay","path":"bcc","words":"` + "`pay` newly requires `bcc`" + `"}]`
	if got, err := json.Marshal(changes); err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
