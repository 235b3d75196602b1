package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/writ-dev/writ/decisions"
)

// comparer collects what a release newly can do.
type comparer struct{ list []Widening }

func (c *comparer) say(kind WideningKind, key pinKey, tool, words string, args ...any) {
	c.list = append(c.list, Widening{Kind: kind, Server: key.server, Credential: key.credential, Tool: tool, Words: fmt.Sprintf(words, args...)})
}

// widenings lists what a release can do that another could not. A missing one could
// do nothing.
func widenings(old, now *released, stages []string) []Widening {
	var c comparer
	if old == nil {
		old = &released{}
	}
	if rank(stages, now.stage) > rank(stages, old.stage) {
		c.say(StageLater, pinKey{}, "", "stage %s, was %s", clip(now.stage), cmp.Or(clip(old.stage), "not released"))
	}
	keys := maps.Clone(now.pins)
	maps.Copy(keys, old.pins)
	for _, key := range sortedPins(keys) {
		c.connection(key, old, now.pin(key.server, key.credential))
	}
	return c.list
}

// rank counts stages from the first; one that the table does not know is the first
// (R10).
func rank(stages []string, stage string) int { return max(0, slices.Index(stages, stage)) }

func sortedPins(pins map[pinKey]*Pin) []pinKey {
	return slices.SortedFunc(maps.Keys(pins), func(a, b pinKey) int {
		return cmp.Or(strings.Compare(a.server, b.server), strings.Compare(a.credential, b.credential))
	})
}

// connection compares what holds for one connection with what held for it.
func (c *comparer) connection(key pinKey, old *released, now *Pin) {
	if now == nil {
		return
	}
	was := old.pin(key.server, key.credential)
	if was == nil {
		was = old.any(key.server)
		with := "any credential"
		if key.credential != "" {
			with = "credential " + quoted(key.credential)
		}
		if was != nil {
			c.say(CredentialAdded, key, "", "newly uses server %s with %s", quoted(key.server), with)
		} else {
			c.say(ServerAdded, key, "", "newly uses server %s, with %s", quoted(key.server), with)
			was = &Pin{ToolSet: &ToolSet{}}
		}
	}
	if was.reviewPinned && !now.reviewPinned {
		c.say(ReviewUnpinned, key, "", "no longer pins the review of server %s: a later one may loosen what it does", quoted(key.server))
	}
	for _, name := range sortedKeys(now.classified) {
		c.tool(key, name, was, now)
	}
}

// any returns a pin of the server for whatever credential, the first by name.
func (r *released) any(server string) *Pin {
	for _, key := range sortedPins(r.pins) {
		if key.server == server {
			return r.pins[key]
		}
	}
	return nil
}

func (c *comparer) tool(key pinKey, name string, was, now *Pin) {
	before, used := was.classified[name]
	after := now.classified[name]
	if !used {
		c.say(ToolUsed, key, name, "newly uses %s of server %s: %s", quoted(name), quoted(key.server), traitsWords(after.Traits))
		return
	}
	for _, words := range gentler(before, after) {
		c.say(TraitGentler, key, name, "%s of server %s: %s", quoted(name), quoted(key.server), words)
	}
	d := differ{name: name}
	if d.tool(was.ToolSet.Tool(name), now.ToolSet.Tool(name)); len(d.changes) == 0 {
		return
	}
	for _, change := range d.changes {
		if change.Contract {
			c.say(ContractChanged, key, name, "server %s: %s", quoted(key.server), change.Words)
		}
	}
}

// gentler says which traits are gentler than they were, and what had made them
// strict.
func gentler(before, after decisions.Classified) []string {
	var all []string
	joined := before.Traits.Join(after.Traits)
	for i, source := range before.Sources {
		which := decisions.Trait(i)
		if now := traitWords(which, after.Traits); now != traitWords(which, joined) {
			_, old, _ := strings.Cut(traitWords(which, before.Traits), ": ")
			all = append(all, fmt.Sprintf("%s, was %s (%s)", now, old, sourceWords(source)))
		}
	}
	return all
}

func sourceWords(s decisions.Source) string {
	return strings.TrimSuffix(s.Kind.String()+": "+s.Detail, ": ")
}

// traitsWords writes the four traits and what is gentle about the two facts.
func traitsWords(t decisions.Traits) string {
	words := []string{t.Effect.String(), t.Risk.String() + " risk", "undo " + t.Undo.String(), "exposure " + t.Exposure.String()}
	if !t.Single {
		words = append(words, "collection")
	}
	return strings.Join(words, ", ")
}

// compareActions says which platform actions are stated gentler than they were.
func compareActions(old, now *Catalog) []Comparison {
	byWorkspace := map[string]*comparer{}
	keys := slices.SortedFunc(maps.Keys(now.actions), func(a, b actionKey) int {
		return cmp.Or(strings.Compare(a.workspace, b.workspace), strings.Compare(a.method, b.method))
	})
	for _, key := range keys {
		before := decisions.Classified{}
		if was := old.actions[key]; was != nil {
			before = was.classified
		}
		c := byWorkspace[key.workspace]
		if c == nil {
			c = &comparer{}
			byWorkspace[key.workspace] = c
		}
		for _, words := range gentler(before, now.actions[key].classified) {
			c.say(ActionGentler, pinKey{}, key.method, "action %s: %s", quoted(key.method), words)
		}
	}
	var all []Comparison
	for _, workspace := range sortedKeys(byWorkspace) {
		if list := byWorkspace[workspace].list; len(list) > 0 {
			all = append(all, Comparison{Workspace: workspace, Widenings: list})
		}
	}
	return all
}
