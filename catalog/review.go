package catalog

import (
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/writ-dev/writ/decisions"
)

// Review is what a person states about the tools of one server in one workspace
// (R5). docs/catalog.md describes its file.
type Review struct {
	Workspace, Server string
	// Digest is "rd1:" and 64 hex digits over what the review says.
	Digest string
	File   string
	Tools  map[string]*ToolReview

	toolset, prose string
	// fingerprint is that of the list as it was reviewed; empty where the review does
	// not say it.
	fingerprint string
	// list is what was reviewed; nil where the catalogue does not hold it.
	list *list
	at   map[string]*yaml.Node
}

// place finds where a field stands.
func (r *Review) place(key string) *yaml.Node {
	if n := r.at[key]; n != nil {
		return n
	}
	return r.at[""]
}

// ToolReview states the traits of one tool, or of one platform action.
type ToolReview struct {
	Name   string
	Traits decisions.Traits
	// Undo says how a change is taken back, where it can be (R8).
	Undo UndoPlan
	// Description is the reviewer's own sentence on what the tool does (R19).
	Description string
	// Boundary says which data may cross which border; optional.
	Boundary string
	// Basis and Rejected are empty only where every trait is the strictest.
	Basis Basis
	// Rejected is the alternative that was considered, and why it is not so.
	Rejected string
	// Recheck says why the tool must be looked at again: a review with it is refused
	// until it is gone.
	Recheck []string

	// at is the tool's name, value what is stated about it.
	at, value *yaml.Node
}

// place finds where a field of the tool stands, or the tool's name.
func (t *ToolReview) place(keys ...string) *yaml.Node {
	n := t.value
	for _, key := range keys {
		if n = member(n, key); n == nil {
			return t.at
		}
	}
	return n
}

// UndoPlan is undo as a sequence (R8). All of it is stated where Traits.Undo is
// possible.
type UndoPlan struct {
	// Who can undo, what they need, within which time, and what may consume the
	// change first.
	Who, Needs, Within, ConsumedBy string
}

// Basis is what a narrowing rests on (R5).
type Basis struct {
	// Kind is one of the words that docs/catalog.md lists.
	Kind string
	// Reference says where it can be looked up.
	Reference string
	By        string
	At        time.Time
}

// bases are the admissible kinds of basis. What the server says about itself is
// none of them.
func bases() []string {
	return []string{"source_code", "vendor_documentation", "contract", "observation", "sandbox_test"}
}

// review reads a review's file.
func (d *decoder) review(data []byte) *Review {
	doc := d.document(data)
	if doc == nil {
		return nil
	}
	r := &Review{File: d.file, Tools: map[string]*ToolReview{}, at: map[string]*yaml.Node{"": doc}}
	placed := func(key string, read field) field {
		return func(n *yaml.Node) { r.at[key] = n; read(n) }
	}
	stated := d.object(doc, "a review", map[string]field{
		"workspace":    placed("workspace", d.text(&r.Workspace)),
		"server":       placed("server", d.text(&r.Server)),
		"toolset":      placed("toolset", d.text(&r.toolset)),
		"prose_digest": placed("prose_digest", d.text(&r.prose)),
		"fingerprint":  placed("fingerprint", d.text(&r.fingerprint)),
		"tools":        placed("tools", d.toolReviews(r.Tools)),
	})
	d.require(doc, "the review", stated, "workspace", "server", "toolset", "prose_digest", "tools")
	return r
}

// toolReviews reads the mapping of names to what is stated about them.
func (d *decoder) toolReviews(into map[string]*ToolReview) field {
	return func(n *yaml.Node) {
		d.entries(n, "the list of tools", func(key, value *yaml.Node) {
			t := &ToolReview{Name: key.Value, at: key}
			into[t.Name] = t
			if isNull(value) {
				value = &yaml.Node{Kind: yaml.MappingNode, Line: key.Line, Column: key.Column}
			}
			t.value = value
			d.toolReview(t, value)
		})
	}
}

func (d *decoder) toolReview(t *ToolReview, n *yaml.Node) {
	collection := true
	stated := d.object(n, "a tool", map[string]field{
		"effect":      word(d, &t.Traits.Effect, vocabulary(decisions.Read)),
		"risk":        word(d, &t.Traits.Risk, vocabulary(decisions.LowRisk)),
		"undo":        func(n *yaml.Node) { d.undo(t, n) },
		"exposure":    word(d, &t.Traits.Exposure, vocabulary(decisions.NoExposure)),
		"collection":  d.flag(&collection),
		"idempotent":  d.flag(&t.Traits.Idempotent),
		"description": d.text(&t.Description),
		"boundary":    d.text(&t.Boundary),
		"basis":       func(n *yaml.Node) { d.basis(&t.Basis, n) },
		"rejected":    d.text(&t.Rejected),
		"recheck":     d.texts(func(why string, _ *yaml.Node) { t.Recheck = append(t.Recheck, why) }),
	})
	t.Traits.Single = !collection
	if stated != nil {
		d.stated(t, stated)
	}
}

// undo reads a word, or a mapping where taking back needs words (R8).
func (d *decoder) undo(t *ToolReview, n *yaml.Node) {
	can := word(d, &t.Traits.Undo, vocabulary(decisions.UndoTrivial))
	if n.Kind == yaml.MappingNode {
		stated := d.object(n, "undo", map[string]field{
			"can":         can,
			"who":         d.text(&t.Undo.Who),
			"needs":       d.text(&t.Undo.Needs),
			"within":      d.text(&t.Undo.Within),
			"consumed_by": d.text(&t.Undo.ConsumedBy),
		})
		d.require(n, "undo", stated, "can")
	} else {
		can(n)
	}
	if t.Traits.Undo == decisions.UndoPossible && (t.Undo.Who == "" || t.Undo.Needs == "" || t.Undo.Within == "" || t.Undo.ConsumedBy == "") {
		d.report(n, codeUndoWords, "undo is possible, but not how: it counts as impossible (R8)",
			"state can, who, needs, within and consumed_by")
		t.Traits.Undo = decisions.UndoImpossible
	}
}

// basis reads what a narrowing rests on.
func (d *decoder) basis(b *Basis, n *yaml.Node) {
	stated := d.object(n, "a basis", map[string]field{
		"kind":      func(n *yaml.Node) { d.basisKind(b, n) },
		"reference": d.text(&b.Reference),
		"by":        d.text(&b.By),
		"at":        d.day(&b.At),
	})
	d.require(n, "the basis", stated, "kind", "reference", "by", "at")
}

func (d *decoder) basisKind(b *Basis, n *yaml.Node) {
	switch n.Value {
	case "server_description", "server_hint":
		d.report(n, codeBasisRefused, n.Value+" is no basis: a server's own words never make a call gentler (R5)",
			suggest("", bases()))
		return
	}
	var i uint8
	found := len(d.list)
	word(d, &i, bases())(n)
	if len(d.list) == found {
		b.Kind = bases()[i]
	}
}
