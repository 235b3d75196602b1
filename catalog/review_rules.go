package catalog

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/writ-dev/writ/decisions"
)

// stated checks that nothing about a tool is left to be guessed (R5).
func (d *decoder) stated(t *ToolReview, stated map[string]bool) {
	words := map[string][]string{
		"effect":   vocabulary(decisions.Read),
		"risk":     vocabulary(decisions.LowRisk),
		"undo":     vocabulary(decisions.UndoTrivial),
		"exposure": vocabulary(decisions.NoExposure),
	}
	for _, trait := range []string{"effect", "risk", "undo", "exposure"} {
		if !stated[trait] {
			d.report(t.at, codeUnstated, fmt.Sprintf("%s: %s is not stated", t.Name, trait), suggest("", words[trait]))
		}
	}
	d.require(t.at, t.Name, stated, "description")
	if len(t.Recheck) > 0 {
		d.report(t.place("recheck"), codeRecheck, fmt.Sprintf("%s must be looked at again: %s", t.Name, strings.Join(t.Recheck, "; ")),
			`look, then state it with "writ review set --basis", or correct it and remove "recheck:"`)
	}
	if t.Traits == (decisions.Traits{}) {
		return
	}
	if !stated["basis"] {
		d.report(t.at, codeBasisMissing, t.Name+" is stated gentler than the strictest, without a basis (R5)",
			"add basis: {kind, reference, by, at}")
	}
	if !stated["rejected"] {
		d.report(t.at, codeRejectedMissing, t.Name+" is stated gentler than the strictest, without the alternative that was rejected (R5)",
			`add "rejected:", a sentence`)
	}
}

// against compares a review with the list that it is about: every tool exists, no
// hint admits worse, and the words are the reviewer's own.
func (d *decoder) against(r *Review) {
	if r.prose != "" && r.prose != r.list.ProseDigest {
		d.report(r.at["prose_digest"], codeProse, "the list's prose or hints are not the ones that were reviewed",
			`look at them again ("writ review update" says which), then write `+r.list.ProseDigest)
	}
	if r.fingerprint != "" && r.fingerprint != r.list.Fingerprint {
		d.report(r.at["fingerprint"], codeFingerprint, r.toolset+" is not the list that was reviewed: its inputs are other ones",
			`carry the review over with "writ review update", or put the reviewed list back`)
	}
	for _, name := range sortedKeys(r.Tools) {
		t := r.Tools[name]
		tool := r.list.Tool(name)
		if tool == nil {
			d.report(t.at, codeToolUnknown, fmt.Sprintf("%s does not offer a tool %q", r.toolset, clip(name)),
				suggest(name, r.list.names()))
			continue
		}
		d.hints(t, t.at, tool, r.Server)
		d.ownWords(t, tool)
	}
}

// hints reports where the server admits worse than the review says (R20 d).
func (d *decoder) hints(t *ToolReview, at *yaml.Node, tool *Tool, server string) {
	sources := decisions.NewHintSources(decisions.HintAtReview, "server "+server)
	before := decisions.Classify(decisions.Statement{Traits: t.Traits})
	after := tool.Hints.Tighten(before, &sources)
	for trait, source := range after.Sources {
		if source == (decisions.Source{}) {
			continue
		}
		d.report(at, codeHintWorse,
			fmt.Sprintf("%s: %s is stated gentler than the %s admits", t.Name, decisions.Trait(trait), source.Detail),
			"review it as "+traitWords(decisions.Trait(trait), after.Traits))
	}
}

// traitWords writes one trait as it stands in a review.
func traitWords(which decisions.Trait, t decisions.Traits) string {
	value := ""
	switch which {
	case decisions.EffectTrait:
		value = t.Effect.String()
	case decisions.RiskTrait:
		value = t.Risk.String()
	case decisions.UndoTrait:
		value = t.Undo.String()
	case decisions.ExposureTrait:
		value = t.Exposure.String()
	case decisions.SingleTrait:
		value = fmt.Sprint(!t.Single)
	case decisions.IdempotentTrait:
		value = fmt.Sprint(t.Idempotent)
	}
	return fmt.Sprintf("%s: %s", which, value)
}
