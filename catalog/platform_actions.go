package catalog

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/writ-dev/writ/decisions"
)

// actions states the traits of a workspace's platform actions: methods of the
// gateway's own, without an MCP server (R4).
type actions struct {
	workspace string
	tools     map[string]*ToolReview
	file      string
	at        *yaml.Node
}

// action is a platform action as Resolve looks it up.
type action struct{ classified decisions.Classified }

func (d *decoder) actions(data []byte) *actions {
	doc := d.document(data)
	if doc == nil {
		return nil
	}
	a := &actions{tools: map[string]*ToolReview{}, file: d.file, at: doc}
	stated := d.object(doc, "an actions file", map[string]field{
		"workspace": d.text(&a.workspace),
		"actions":   d.toolReviews(a.tools),
	})
	d.require(doc, "the actions file", stated, "workspace", "actions")
	return a
}

func (l *loader) linkActions(c *Catalog) {
	for _, a := range l.actions {
		for _, name := range sortedKeys(a.tools) {
			l.linkAction(c, a, a.tools[name])
		}
	}
}

func (l *loader) linkAction(c *Catalog, a *actions, t *ToolReview) {
	d := l.at(a.file)
	if _, protocol := Platform(t.Name); protocol || t.Name == MethodToolsCall {
		d.report(t.at, codeDuplicate, t.Name+" is a method of the protocol, not an action", "remove it")
		return
	}
	key := actionKey{a.workspace, t.Name}
	if c.actions[key] != nil {
		d.report(t.at, codeDuplicate, fmt.Sprintf("action %q of workspace %q is already stated", clip(t.Name), clip(a.workspace)), "keep one of them")
		return
	}
	c.actions[key] = &action{decisions.Classify(decisions.Statement{Traits: t.Traits, Source: decisions.Source{
		Kind: decisions.Review, Detail: "review of action " + t.Name + t.by()}})}
}
