package catalog

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// Draft is a release that is to be written.
type Draft struct {
	Workspace, Automation, Version, Author string
	// Stage is a word of the policy's stage table.
	Stage string
	// Replaces is the release that this one follows; optional.
	Replaces string
	// Uses are "SERVER" for all the tools that its review states, or "SERVER:TOOL,TOOL";
	// none: every server that is reviewed.
	Uses []string
}

// Write makes the file of a release that pins each list and review as the catalogue
// holds them now (R13). It returns a *FindingsError where a list or review has
// something wrong with it; releases may, since this is how one is put right.
func (r Draft) Write(fsys fs.FS, now time.Time) ([]byte, error) {
	_, l := load(fsys, now, nil)
	list := slices.DeleteFunc(l.sorted(), func(f Finding) bool { return directory(f.File) == "releases" })
	if stops(list) {
		return nil, &FindingsError{list}
	}
	uses := r.Uses
	if len(uses) == 0 {
		uses = l.reviewed(r.Workspace)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "workspace: %s\nautomation: %s\nrelease: %s\nstage: %s\nauthor: %s\n",
		scalar(r.Workspace), scalar(r.Automation), scalar(r.Version), scalar(r.Stage), scalar(r.Author))
	if r.Replaces != "" {
		fmt.Fprintf(&b, "replaces: %s\n", scalar(r.Replaces))
	}
	b.WriteString("servers:")
	if len(uses) == 0 {
		b.WriteString(" []")
	}
	b.WriteString("\n")
	for _, use := range uses {
		if err := l.draftUse(&b, r.Workspace, use); err != nil {
			return nil, err
		}
	}
	return []byte(b.String()), nil
}

// reviewed returns the servers of a workspace that have a review, by name.
func (l *loader) reviewed(workspace string) []string {
	var servers []string
	for key := range l.current {
		if key.workspace == workspace {
			servers = append(servers, key.server)
		}
	}
	slices.Sort(servers)
	return servers
}

func (l *loader) draftUse(b *strings.Builder, workspace, use string) error {
	server, named, some := use, "", false
	if l.current[serverKey{workspace, use}] == nil {
		server, named, some = strings.Cut(use, ":")
	}
	review := l.current[serverKey{workspace, server}]
	if review == nil || review.list == nil {
		return fmt.Errorf("workspace %q has no review of server %q: %s", clip(workspace), clip(server), suggest(server, l.reviewed(workspace)))
	}
	tools := slices.Sorted(maps.Keys(review.Tools))
	if some {
		stated := tools
		tools = strings.Split(named, ",")
		for _, name := range tools {
			if !slices.Contains(stated, name) {
				return fmt.Errorf("%s states nothing about a tool %q: %s", review.File, clip(name), suggest(name, stated))
			}
		}
	}
	fmt.Fprintf(b, "  - name: %s\n    toolset: %s\n    fingerprint: %s\n    review: %s\n    tools:",
		scalar(server), scalar(review.toolset), review.list.Fingerprint, review.Digest)
	if len(tools) == 0 {
		b.WriteString(" []")
	}
	b.WriteString("\n")
	for _, name := range tools {
		fmt.Fprintf(b, "      - %s\n", scalar(name))
	}
	return nil
}
