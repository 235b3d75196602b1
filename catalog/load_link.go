package catalog

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// at returns a decoder that reports in an already parsed file.
func (l *loader) at(file string) *decoder {
	return &decoder{findings: &l.findings, file: file, now: l.now}
}

// findList returns the list that a file names by its path.
func (l *loader) findList(d *decoder, name string, at *yaml.Node) *list {
	found := l.lists[name]
	if found == nil && name != "" {
		d.report(at, codeToolSetMissing, fmt.Sprintf("there is no usable tool list %q", clip(name)),
			suggest(name, sortedKeys(l.lists)))
	}
	return found
}

// linkReviews joins reviews with their lists.
func (l *loader) linkReviews() {
	for _, r := range l.superseded {
		l.linkReview(r)
	}
	for _, r := range l.reviews {
		l.linkReview(r)
		if r.Workspace == "" || r.Server == "" {
			continue
		}
		key := serverKey{r.Workspace, r.Server}
		if other := l.current[key]; other != nil {
			l.at(r.File).report(r.place("server"), codeDuplicate,
				fmt.Sprintf("server %q of workspace %q is already reviewed in %s", clip(r.Server), clip(r.Workspace), other.File),
				"keep one; move an earlier one to superseded/")
			continue
		}
		l.current[key] = r
	}
}

func (l *loader) linkReview(r *Review) {
	d := l.at(r.File)
	list := l.findList(d, r.toolset, r.place("toolset"))
	if list == nil {
		return
	}
	r.list = list
	d.against(r)
	r.Digest = r.digest()
	l.digests[r.Digest] = r
}

// linkReleases joins releases with the lists and reviews that they pin.
func (l *loader) linkReleases(c *Catalog) {
	for _, r := range l.releases {
		key := releaseKey{r.Workspace, r.Automation, r.Version}
		if other := c.releases[key]; other != nil && r.Version != "" {
			l.at(r.File).report(r.place(""), codeDuplicate,
				fmt.Sprintf("release %q of automation %q is already stated in %s", clip(r.Version), clip(r.Automation), other.file), "keep one of them")
		}
		c.releases[key] = l.linkRelease(r)
	}
}

func (l *loader) linkRelease(r *Release) *released {
	d := l.at(r.File)
	out := &released{file: r.File, stage: r.Stage, replaces: r.Replaces, pins: map[pinKey]*Pin{}}
	for _, u := range r.Servers {
		key := pinKey{u.Server, u.Credential}
		if out.pins[key] != nil {
			d.report(u.place("name"), codeDuplicate, fmt.Sprintf("server %q is already pinned for this credential", clip(u.Server)),
				"keep one of them, or name the credential")
		}
		list := l.findList(d, u.toolset, u.place("toolset"))
		if list == nil {
			continue
		}
		d.pinnable(u, list)
		reviews := l.reviewsOf(d, r, u)
		if len(reviews) > 0 {
			d.reviewed(u, list, reviews[0])
		}
		out.pins[key] = l.pin(r, u, list, reviews)
	}
	return out
}

// reviewsOf returns the review that a connection was checked with, and the later
// one where it is another: that may tighten a release, never loosen it (R13).
func (l *loader) reviewsOf(d *decoder, r *Release, u *ServerUse) []*Review {
	var reviews []*Review
	current := l.current[serverKey{r.Workspace, u.Server}]
	if u.Review != "" {
		pinned := l.digests[u.Review]
		if pinned == nil || pinned.Workspace != r.Workspace || pinned.Server != u.Server {
			d.report(u.place("review"), codeReviewUnknown, "the catalogue does not hold the review that the release was checked with",
				"keep it under superseded/, or check the release again and pin the current one"+currentDigest(current))
			return nil
		}
		reviews = append(reviews, pinned)
	}
	if current != nil && current.list != nil && (len(reviews) == 0 || reviews[0] != current) {
		reviews = append(reviews, current)
	}
	if current == nil && len(reviews) == 0 && len(u.Tools) > 0 {
		d.report(u.place("name"), codeToolUnreviewed, fmt.Sprintf("nobody has reviewed server %q in workspace %q", clip(u.Server), clip(r.Workspace)),
			`start with "writ review init"`)
	}
	return reviews
}

func currentDigest(current *Review) string {
	if current == nil || current.Digest == "" {
		return ""
	}
	return ", " + current.Digest
}
