package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// WideningKind is a stable word for what a release newly can do.
type WideningKind string

// Widening kinds, in the order in which they are said.
const (
	StageLater      WideningKind = "stage_later"
	ServerAdded     WideningKind = "server_added"
	CredentialAdded WideningKind = "credential_added"
	ToolUsed        WideningKind = "tool_added"
	TraitGentler    WideningKind = "trait_gentler"
	ContractChanged WideningKind = "contract_changed"
	ReviewUnpinned  WideningKind = "review_unpinned"
	ActionGentler   WideningKind = "action_gentler"
)

// Widening is one thing that a release, or the platform, newly can do (R21).
type Widening struct {
	Kind       WideningKind `json:"kind"`
	Server     string       `json:"server,omitempty"`
	Credential string       `json:"credential,omitempty"`
	// Tool is a tool's name, or a platform action's method.
	Tool string `json:"tool,omitempty"`
	// Words is one sentence, cleaned.
	Words string `json:"words"`
}

// Comparison is what a release newly can do beside an earlier one. One without a
// release is about the platform's actions.
type Comparison struct {
	Workspace  string `json:"workspace"`
	Automation string `json:"automation,omitempty"`
	Release    string `json:"release,omitempty"`
	// Beside is the version that it was compared with; empty where the automation
	// has none before it, so that everything is new.
	Beside    string     `json:"beside,omitempty"`
	Widenings []Widening `json:"widenings"`
}

// ErrUnknownRelease says that a catalogue holds no such release.
var ErrUnknownRelease = errors.New("no such release")

// Compare says what the releases and actions of a catalogue newly can do beside an
// earlier one, by workspace, automation and release; those that can do nothing new
// are left out. A release is compared with itself in the earlier catalogue, or else
// with the release that it replaces. stages are the policy's, first one first.
func Compare(old, now *Catalog, stages []string) []Comparison {
	var all []Comparison
	for _, key := range sortedReleases(now) {
		before, was := old.before(key, now.releases[key].replaces, true)
		if was == nil {
			before, was = now.before(key, now.releases[key].replaces, false)
		}
		c := Comparison{Workspace: key.workspace, Automation: key.automation, Release: key.release, Beside: before}
		if c.Widenings = widenings(was, now.releases[key], stages); len(c.Widenings) > 0 {
			all = append(all, c)
		}
	}
	return append(all, compareActions(old, now)...)
}

// CompareReleases says what one release of an automation newly can do beside
// another; where old is empty, beside the one that it follows. The error wraps
// ErrUnknownRelease.
func (c *Catalog) CompareReleases(workspace, automation, old, now string, stages []string) (Comparison, error) {
	key := releaseKey{workspace, automation, now}
	is := c.releases[key]
	was := c.releases[releaseKey{workspace, automation, old}]
	switch {
	case is == nil:
		return Comparison{}, c.unknown(workspace, automation, now)
	case old == "":
		old, was = c.before(key, is.replaces, false)
	case was == nil:
		return Comparison{}, c.unknown(workspace, automation, old)
	}
	return Comparison{Workspace: workspace, Automation: automation, Release: now, Beside: old,
		Widenings: widenings(was, is, stages)}, nil
}

func (c *Catalog) unknown(workspace, automation, version string) error {
	return fmt.Errorf("%w: %q of automation %q in workspace %q: %s", ErrUnknownRelease,
		clip(version), clip(automation), clip(workspace), suggest(version, c.versions(workspace, automation)))
}

// versions returns the releases of an automation, in order.
func (c *Catalog) versions(workspace, automation string) []string {
	var all []string
	for key := range c.releases {
		if key.workspace == workspace && key.automation == automation {
			all = append(all, key.release)
		}
	}
	slices.SortFunc(all, CompareVersions)
	return all
}

// before finds the release that one follows: itself where that counts, the one that
// it says it replaces, or the one before it in order.
func (c *Catalog) before(key releaseKey, replaces string, itself bool) (string, *released) {
	wanted := replaces
	if c.releases[key] != nil && itself {
		wanted = key.release
	} else if wanted == "" {
		for _, version := range c.versions(key.workspace, key.automation) {
			if CompareVersions(version, key.release) < 0 {
				wanted = version
			}
		}
	}
	found := c.releases[releaseKey{key.workspace, key.automation, wanted}]
	if wanted == "" || found == nil {
		return "", nil
	}
	return wanted, found
}

func sortedReleases(c *Catalog) []releaseKey {
	keys := make([]releaseKey, 0, len(c.releases))
	for key := range c.releases {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b releaseKey) int {
		return cmp.Or(strings.Compare(a.workspace, b.workspace), strings.Compare(a.automation, b.automation),
			CompareVersions(a.release, b.release))
	})
	return keys
}

// CompareVersions orders versions as people count: runs of digits by their number,
// the rest by its bytes. "1.9" is before "1.10".
func CompareVersions(a, b string) int {
	whole := strings.Compare(a, b)
	for a != "" && b != "" {
		x, y := piece(a), piece(b)
		a, b = a[len(x):], b[len(y):]
		if digit(x[0]) && digit(y[0]) {
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if c := cmp.Compare(len(x), len(y)); c != 0 {
				return c
			}
		}
		if c := strings.Compare(x, y); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), whole)
}

// piece is the run of digits that a text starts with, or what comes before the next.
func piece(s string) string {
	for i := 1; i < len(s); i++ {
		if digit(s[i]) != digit(s[0]) {
			return s[:i]
		}
	}
	return s
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
