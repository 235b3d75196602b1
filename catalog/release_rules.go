package catalog

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// place finds where a field of the connection stands.
func (u *ServerUse) place(key string) *yaml.Node {
	if n := u.at[key]; n != nil {
		return n
	}
	return u.at[""]
}

// pinnable checks that a connection pins the list that its file holds (R13).
func (d *decoder) pinnable(u *ServerUse, ts *list) {
	if u.Fingerprint != "" && u.Fingerprint != ts.Fingerprint {
		d.report(u.place("fingerprint"), codeFingerprint,
			fmt.Sprintf("the fingerprint is not that of %s", u.toolset),
			"check the release against that list, then write "+ts.Fingerprint)
	}
	for _, name := range sortedKeys(u.tools) {
		if ts.Tool(name) == nil {
			d.report(u.tools[name], codeToolUnknown, fmt.Sprintf("%s does not offer a tool %q", u.toolset, clip(name)),
				suggest(name, ts.names()))
		}
	}
	for _, name := range sortedKeys(u.Stricter) {
		if u.tools[name] == nil {
			d.report(u.place("stricter"), codeToolUnknown, fmt.Sprintf("%q is not among the tools that the release uses", clip(name)),
				suggest(name, u.Tools))
		}
	}
}

// reviewed checks that each tool which the release uses is reviewed as it is
// pinned (R20 f), and says where a stricter statement is not stricter.
func (d *decoder) reviewed(u *ServerUse, ts *list, review *Review) {
	for _, name := range u.Tools {
		tool := ts.Tool(name)
		if tool == nil {
			continue
		}
		t := review.Tools[name]
		if t == nil {
			d.report(u.tools[name], codeToolUnreviewed, fmt.Sprintf("%s is used but %s does not state its traits", name, review.File),
				"review it, or remove it from the release")
			continue
		}
		if seen := review.list.Tool(name); seen != nil && !bytes.Equal(seen.Contract, tool.Contract) {
			d.report(u.tools[name], codeContract, fmt.Sprintf("%s has other inputs in %s than in %s, which was reviewed", name, u.toolset, review.toolset),
				"review the list that the release pins")
		}
		if ts != review.list {
			d.hints(t, u.tools[name], tool, u.Server)
		}
		d.tightens(u, name, t)
	}
}

func (d *decoder) tightens(u *ServerUse, name string, t *ToolReview) {
	stricter, ok := u.Stricter[name]
	if !ok || t.Traits.Join(stricter) != t.Traits {
		return
	}
	at := u.place("stricter")
	d.add(Finding{Severity: Warning, File: d.file, Line: at.Line, Column: at.Column, Code: codeGentler,
		Message: name + ": the statement is not stricter than the review, so it changes nothing",
		Fix:     "remove it, or state something stricter"})
}
