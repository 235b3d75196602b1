package catalog

import (
	"io/fs"
	"time"
)

// Load reads a catalogue's directory. It returns a *FindingsError with everything
// that is wrong when anything is; then nothing of it holds. An empty directory is
// an empty catalogue. A time after now is a finding.
//
// stages are the words of the policy's stage table, first one first. With them, a
// release that newly can do something is refused beyond the first stage where no
// second person promoted it (R21); without them, promotions are not looked at.
func Load(fsys fs.FS, now time.Time, stages ...string) (*Catalog, error) {
	c, l := load(fsys, now, stages)
	list := l.sorted()
	if stops(list) {
		return nil, &FindingsError{list}
	}
	c.warnings = list
	return c, nil
}

// Check returns everything that is wrong with a catalogue's directory, sorted by
// place (R20, R21). Load takes the directory where no finding is an error.
func Check(fsys fs.FS, now time.Time, stages ...string) []Finding {
	_, l := load(fsys, now, stages)
	return l.sorted()
}

func load(fsys fs.FS, now time.Time, stages []string) (*Catalog, *loader) {
	l := &loader{now: now, lists: map[string]*list{}, current: map[serverKey]*Review{}, digests: map[string]*Review{}}
	files := l.read(fsys)
	for _, f := range files {
		l.parse(f)
	}
	c := &Catalog{
		revision: revision(files),
		files:    files,
		toolsets: map[string]*ToolSet{},
		releases: map[releaseKey]*released{},
		actions:  map[actionKey]*action{},
	}
	for _, list := range l.lists {
		c.toolsets[list.Fingerprint] = list.ToolSet
	}
	l.linkReviews()
	l.linkActions(c)
	l.linkReleases(c)
	l.linkPromotions(c, stages)
	return c, l
}

type serverKey struct{ workspace, server string }

// loader holds what the files say while they are put together.
type loader struct {
	findings
	now time.Time

	lists      map[string]*list
	reviews    []*Review
	superseded []*Review
	releases   []*Release
	actions    []*actions

	// The current review of each server, and every review by its digest.
	current map[serverKey]*Review
	digests map[string]*Review
}

// parse reads one file as what its directory says it is.
func (l *loader) parse(f File) {
	d := &decoder{findings: &l.findings, file: f.Path, now: l.now}
	switch directory(f.Path) {
	case "toolsets":
		l.parseToolSet(f)
	case "reviews":
		if r := d.review(f.Data); r != nil {
			l.reviews = append(l.reviews, r)
		}
	case "superseded":
		if r := d.review(f.Data); r != nil {
			l.superseded = append(l.superseded, r)
		}
	case "releases":
		if r := d.release(f.Data); r != nil {
			l.releases = append(l.releases, r)
		}
	case "actions":
		if a := d.actions(f.Data); a != nil {
			l.actions = append(l.actions, a)
		}
	}
}

// list is a tool list of the catalogue and the checks of what its tools take.
type list struct {
	*ToolSet
	// tools are set where a release pins the list.
	tools map[string]*PinnedTool
}

func (ts *ToolSet) names() []string {
	names := make([]string, len(ts.Tools))
	for i := range ts.Tools {
		names[i] = ts.Tools[i].Name
	}
	return names
}

func (l *loader) parseToolSet(f File) {
	ts, err := ParseToolSet(f.Data)
	if err != nil {
		l.add(Finding{File: f.Path, Code: codeToolSetInvalid, Message: err.Error(),
			Fix: "fetch the list again and keep it as the server sent it"})
		return
	}
	l.lists[f.Path] = &list{ToolSet: ts}
}
