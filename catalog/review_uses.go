package catalog

import (
	"io/fs"
	"time"
)

// ReviewUse is a release that uses a server, and the review that it pins of it.
type ReviewUse struct {
	Automation, Release, File string
	// Review is a review's digest; empty where the release goes with the current one.
	Review string
}

// ReviewUses lists the releases of a workspace that use a server, by file.
func ReviewUses(fsys fs.FS, workspace, server string, now time.Time) []ReviewUse {
	l := loader{now: now}
	for _, f := range l.read(fsys) {
		if directory(f.Path) == "releases" {
			l.parse(f)
		}
	}
	var uses []ReviewUse
	for _, r := range l.releases {
		for _, u := range r.Servers {
			if r.Workspace == workspace && u.Server == server {
				uses = append(uses, ReviewUse{r.Automation, r.Version, r.File, u.Review})
			}
		}
	}
	return uses
}
