package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/writ-dev/writ/decisions"
)

// Skeleton writes a review file for every tool of a list, in which each trait is
// left to be stated: checking it reports what is open. What the server says stands
// in comments, cleaned and labelled (R19). Tools whose hints admit danger come
// first, then those without hints, then those that claim to be harmless; within a
// group by name.
//
// The list lies at a path of the catalogue's directory; empty: in toolsets/, under the
// server's name.
func Skeleton(server, workspace, toolset string, ts *ToolSet) []byte {
	if toolset == "" {
		toolset = "toolsets/" + server + ".json"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Review of server %s in workspace %s.
# State every trait: what is left open counts as the strictest and does not pass
# "writ catalog check". docs/catalog.md explains each key.
# Lines that start with "#|" are the server's own words. They are untrusted, and no
# basis for anything: look at the code, the contract or the vendor's documentation.
#
# undo         possible needs words: {can: possible, who: , needs: , within: , consumed_by: }
# collection   whether it acts on many things at once
# idempotent   whether a second call changes nothing more
# description  what it does, in your own words
# basis        kind is one of: %s
# rejected     the alternative that you considered, and why it is not so
workspace: %s
server: %s
# The list as the server sent it ("writ toolset fetch").
toolset: %s
prose_digest: %s
fingerprint: %s
tools:
`, clip(server), clip(workspace), strings.Join(bases(), ", "), scalar(workspace), scalar(server), scalar(toolset), ts.ProseDigest, ts.Fingerprint)
	if len(ts.Tools) == 0 {
		return []byte(strings.TrimSuffix(b.String(), "\n") + " {}\n")
	}
	for _, group := range []struct {
		heading string
		holds   func(decisions.Hints) bool
	}{
		{"The server itself admits that these write, or worse.", admits},
		{"The server says nothing about these.", silent},
		{"The server claims that these are harmless, which proves nothing.", claims},
	} {
		tools := slices.DeleteFunc(slices.Clone(ts.Tools), func(t Tool) bool { return !group.holds(t.Hints) })
		if len(tools) > 0 {
			fmt.Fprintf(&b, "\n  # %s (%d)\n", group.heading, len(tools))
		}
		for i := range tools {
			skeletonTool(&b, server, &tools[i])
		}
	}
	return []byte(b.String())
}

func admits(h decisions.Hints) bool { return h.Traits() != decisions.Gentlest }
func silent(h decisions.Hints) bool { return h == decisions.Hints{} }
func claims(h decisions.Hints) bool { return !admits(h) && !silent(h) }

func skeletonTool(b *strings.Builder, server string, t *Tool) {
	fmt.Fprintf(b, "\n  %s:\n", scalar(t.Name))
	comment(b, "untrusted, from server "+clip(server), t.Title)
	comment(b, "untrusted, from server "+clip(server), t.Description)
	if said := hintWords(t.Hints); said != "" {
		fmt.Fprintf(b, "    # Hints seen: %s.\n", said)
	}
	if least := atLeast(t.Hints); least != "" {
		fmt.Fprintf(b, "    # Whatever you state, it will be at least: %s.\n", least)
	}
	for _, key := range []string{"effect", "risk", "undo", "exposure", "collection", "idempotent", "description", "basis", "rejected"} {
		line := fmt.Sprintf("    %-13s %s", key+":", placeholders()[key])
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// comment writes a server's text so that it can't leave the comment.
func comment(b *strings.Builder, label, text string) {
	const most, width = 600, 90
	clean, truncated := Clean(text, most)
	if clean == "" {
		return
	}
	if truncated {
		label += ", cut"
	}
	line := "#| (" + label + ")"
	for _, word := range strings.Fields(clean) {
		if len(line)+len(word) > width {
			fmt.Fprintf(b, "    %s\n", line)
			line = "#|"
		}
		line += " " + word
	}
	fmt.Fprintf(b, "    %s\n", line)
}

// hintWords lists the hints that a server sent.
func hintWords(h decisions.Hints) string {
	var said []string
	for _, hint := range []struct {
		name string
		said decisions.Hint
	}{
		{"readOnlyHint", h.ReadOnly}, {"destructiveHint", h.Destructive},
		{"idempotentHint", h.Idempotent}, {"openWorldHint", h.OpenWorld},
	} {
		if hint.said != decisions.Unsaid {
			said = append(said, hint.name+" "+hint.said.String())
		}
	}
	return strings.Join(said, ", ")
}

// atLeast lists the traits that the hints force (R6).
func atLeast(h decisions.Hints) string {
	var forced []string
	c := decisions.Classify(decisions.Statement{Traits: decisions.Gentlest})
	by := decisions.NewHintSources(decisions.HintAtReview, "")
	for trait, source := range h.Tighten(c, &by).Sources {
		if source != (decisions.Source{}) {
			forced = append(forced, traitWords(decisions.Trait(trait), h.Traits()))
		}
	}
	return strings.Join(forced, ", ")
}

// scalar writes a text so that YAML reads it as text again.
func scalar(s string) string {
	plain := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_./-]*$`)
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
	default:
		if plain.MatchString(s) {
			return s
		}
	}
	return strconv.QuoteToASCII(s)
}
