package catalog

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/writ-dev/writ/decisions"
)

// Danger says how much a change can do. It counts from the most dangerous on; lists
// of changes start with that.
type Danger uint8

// Dangers. What a server newly can or newly asks for comes first, then what it means
// something else by, then what it takes back or words differently.
const (
	NewPower Danger = iota
	NewMeaning
	LessPower
	OnlyWords
)

// String returns "new_power", "new_meaning", "less_power" or "only_words".
func (d Danger) String() string {
	switch d {
	case NewMeaning:
		return "new_meaning"
	case LessPower:
		return "less_power"
	case OnlyWords:
		return "only_words"
	default:
		return "new_power"
	}
}

// MarshalText writes the danger as its word.
func (d Danger) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// ChangeKind is a stable word for what changed.
type ChangeKind string

// Change kinds.
const (
	ToolAdded       ChangeKind = "tool_added"
	ToolRemoved     ChangeKind = "tool_removed"
	InputRequired   ChangeKind = "input_required"
	InputUnrequired ChangeKind = "input_unrequired"
	InputAdded      ChangeKind = "input_added"
	InputRemoved    ChangeKind = "input_removed"
	TypeChanged     ChangeKind = "type_changed"
	EnumChanged     ChangeKind = "enum_changed"
	KeywordChanged  ChangeKind = "keyword_changed"
	SchemaChanged   ChangeKind = "schema_changed"
	HintChanged     ChangeKind = "hint_changed"
	ProseChanged    ChangeKind = "prose_changed"
)

// Change is one difference between two tool sets.
type Change struct {
	Kind   ChangeKind `json:"kind"`
	Danger Danger     `json:"danger"`
	// Contract: the fingerprint covers it. If not, the prose digest does.
	Contract bool `json:"contract"`
	// Tool is the tool's name as the server spells it: untrusted.
	Tool string `json:"tool"`
	// Path is where in the tool's input, for people: "lines[].amount". Empty for the
	// tool as a whole. Cleaned, but the server's words.
	Path string `json:"path,omitempty"`
	// Words is one sentence, cleaned and bounded (R19).
	Words string `json:"words"`
}

// Diff lists what changed from one tool set to another, most dangerous first, in an
// order that depends on nothing but the two (R14). It lists a Contract change if and
// only if the fingerprints differ, and another if and only if the prose digests do
// where no tool came or went. After 20,000 changes it says that there are more.
func Diff(from, to *ToolSet) []Change {
	var d differ
	seen := 0
	for i := range from.Tools {
		old := &from.Tools[i]
		if now := to.Tool(old.Name); now != nil {
			d.tool(old, now)
			seen++
		} else {
			d.add(Change{Kind: ToolRemoved, Danger: LessPower, Contract: true, Tool: old.Name, Words: quoted(old.Name) + " is gone"})
		}
	}
	for i := range to.Tools {
		if now := &to.Tools[i]; from.Tool(now.Name) == nil {
			d.add(Change{Kind: ToolAdded, Contract: true, Tool: now.Name, Words: quoted(now.Name) + " is new"})
		}
	}
	slices.SortStableFunc(d.changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Danger, b.Danger), cmp.Compare(a.Kind.rank(), b.Kind.rank()), strings.Compare(a.Tool, b.Tool))
	})
	return d.changes
}

// rank orders kinds within a danger.
func (k ChangeKind) rank() int {
	order := [...]ChangeKind{ToolAdded, HintChanged, InputRequired, TypeChanged, InputAdded, EnumChanged, KeywordChanged,
		SchemaChanged, ToolRemoved, InputRemoved, InputUnrequired}
	return slices.Index(order[:], k)
}

// differ collects changes of one tool after the other.
type differ struct {
	changes []Change
	name    string
}

// maxDiff bounds what two hostile lists can make of each other.
const maxDiff = 20_000

func (d *differ) add(c Change) {
	switch {
	case len(d.changes) < maxDiff:
		d.changes = append(d.changes, c)
	case len(d.changes) == maxDiff:
		d.changes = append(d.changes, Change{Kind: SchemaChanged, Danger: c.Danger, Contract: c.Contract, Tool: c.Tool,
			Words: fmt.Sprintf("the lists differ in more than %d places: review the new one as a whole", maxDiff)})
	}
}

// contract adds a change of the tool at hand that the fingerprint covers.
func (d *differ) contract(kind ChangeKind, danger Danger, path, words string, args ...any) {
	d.add(Change{Kind: kind, Danger: danger, Contract: true, Tool: d.name, Path: clipPath(path), Words: quoted(d.name) + fmt.Sprintf(words, args...)})
}

func (d *differ) tool(old, now *Tool) {
	d.name = old.Name
	before, after := lookup(old.Contract, "input"), lookup(now.Contract, "input")
	switch {
	case bytes.Equal(before, after):
	case before == nil:
		d.contract(SchemaChanged, NewMeaning, "", " now has an input schema")
	case after == nil:
		d.contract(SchemaChanged, NewPower, "", " no longer has an input schema")
	default:
		d.schema("", before, after)
	}
	d.hints(old, now)
	d.prose(old, now)
}

// hints says in which direction each hint went.
func (d *differ) hints(old, now *Tool) {
	before, after := old.Hints, now.Hints
	was, is := hintsOf(&before), hintsOf(&after)
	for i := range was {
		if *was[i].value == *is[i].value {
			continue
		}
		danger := LessPower
		if unsafe(i, *is[i].value) || *is[i].value == decisions.Unsaid {
			danger = NewPower
		}
		d.add(Change{Kind: HintChanged, Danger: danger, Tool: d.name, Words: fmt.Sprintf("%s %s went from %v to %v",
			quoted(d.name), was[i].name, *was[i].value, *is[i].value)})
	}
}

// unsafe tells a hint's value that tightens (R6); which is an index into hintsOf.
func unsafe(which int, value decisions.Hint) bool {
	var h decisions.Hints
	*hintsOf(&h)[which].value = value
	return h.Traits() != decisions.Gentlest
}
