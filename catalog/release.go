package catalog

import (
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/writ-dev/writ/decisions"
)

// Release is one version of an automation: what it uses, checked against what, and
// how far it is rolled out (R13). docs/catalog.md describes its file.
type Release struct {
	Workspace, Automation, Version string
	// Stage is a word of the policy's stage table. One that the table does not know
	// means its first stage (R10).
	Stage  string
	Author string
	// Replaces is the release that this one follows; empty: the one before it in
	// CompareVersions' order.
	Replaces string
	// Promoted says who let the release go beyond the first stage (R21); nil: nobody.
	Promoted *Promotion
	// Servers are the connections that the release uses, one for each credential.
	Servers []*ServerUse
	File    string

	at map[string]*yaml.Node
}

// place finds where a field of the release stands.
func (r *Release) place(key string) *yaml.Node {
	if n := r.at[key]; n != nil {
		return n
	}
	return r.at[""]
}

// Promotion is a second person's word that a release may go as far as a stage.
type Promotion struct {
	By string
	At time.Time
	To string
}

// ServerUse is one server connection of a release.
type ServerUse struct {
	Server, Credential string
	// Fingerprint pins the list; it is the one of the file.
	Fingerprint string
	// Review pins the digest of the review; empty: the one that the catalogue holds
	// at the time (R13).
	Review string
	// Tools are the ones that the release uses. Others are unclassified.
	Tools []string
	// Stricter are the release's own statements. They only tighten (R3).
	Stricter map[string]decisions.Traits

	toolset string
	at      map[string]*yaml.Node
	tools   map[string]*yaml.Node
}

// release reads a release's file.
func (d *decoder) release(data []byte) *Release {
	doc := d.document(data)
	if doc == nil {
		return nil
	}
	r := &Release{File: d.file, at: map[string]*yaml.Node{"": doc}}
	placed := func(key string, read field) field {
		return func(n *yaml.Node) { r.at[key] = n; read(n) }
	}
	stated := d.object(doc, "a release", map[string]field{
		"workspace":  d.text(&r.Workspace),
		"automation": d.text(&r.Automation),
		"release":    d.text(&r.Version),
		"stage":      placed("stage", d.text(&r.Stage)),
		"author":     d.text(&r.Author),
		"replaces":   placed("replaces", d.text(&r.Replaces)),
		"promoted":   placed("promoted", d.promotion(&r.Promoted)),
		"servers":    d.servers(&r.Servers),
	})
	d.require(doc, "the release", stated, "workspace", "automation", "release", "stage", "author", "servers")
	return r
}

func (d *decoder) promotion(into **Promotion) field {
	return func(n *yaml.Node) {
		p := &Promotion{}
		stated := d.object(n, "a promotion", map[string]field{
			"by": d.text(&p.By),
			"at": d.day(&p.At),
			"to": d.text(&p.To),
		})
		d.require(n, "the promotion", stated, "by", "at", "to")
		if stated["by"] && stated["at"] && stated["to"] {
			*into = p
		}
	}
}

func (d *decoder) servers(into *[]*ServerUse) field {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			d.report(n, codeWrongType, "expected a list of servers, got "+valueWords(n), `start each with "- name:"`)
			return
		}
		for _, item := range n.Content {
			*into = append(*into, d.serverUse(item))
		}
	}
}

func (d *decoder) serverUse(n *yaml.Node) *ServerUse {
	u := &ServerUse{
		Stricter: map[string]decisions.Traits{},
		at:       map[string]*yaml.Node{"": n},
		tools:    map[string]*yaml.Node{},
	}
	placed := func(key string, read field) field {
		return func(n *yaml.Node) { u.at[key] = n; read(n) }
	}
	stated := d.object(n, "a server", map[string]field{
		"name":        placed("name", d.text(&u.Server)),
		"credential":  placed("credential", d.text(&u.Credential)),
		"toolset":     placed("toolset", d.text(&u.toolset)),
		"fingerprint": placed("fingerprint", d.text(&u.Fingerprint)),
		"review":      placed("review", d.text(&u.Review)),
		"tools": d.texts(func(name string, at *yaml.Node) {
			u.Tools = append(u.Tools, name)
			u.tools[name] = at
		}),
		"stricter": placed("stricter", d.stricter(u.Stricter)),
	})
	d.require(n, "the server", stated, "name", "toolset", "fingerprint", "tools")
	return u
}

// stricter reads the release's own statements. A trait that one is silent about is
// the gentlest, which changes nothing in a join.
func (d *decoder) stricter(into map[string]decisions.Traits) field {
	return func(n *yaml.Node) {
		d.entries(n, "the stricter statements", func(key, value *yaml.Node) {
			t := decisions.Gentlest
			collection := false
			d.object(value, "a stricter statement", map[string]field{
				"effect":     word(d, &t.Effect, vocabulary(decisions.Read)),
				"risk":       word(d, &t.Risk, vocabulary(decisions.LowRisk)),
				"undo":       word(d, &t.Undo, vocabulary(decisions.UndoTrivial)),
				"exposure":   word(d, &t.Exposure, vocabulary(decisions.NoExposure)),
				"collection": d.flag(&collection),
				"idempotent": d.flag(&t.Idempotent),
			})
			t.Single = !collection
			into[key.Value] = t
		})
	}
}
