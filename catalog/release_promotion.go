package catalog

import (
	"fmt"
	"strings"
)

// linkPromotions checks that a release which newly can do something starts in the
// first stage, or was promoted by a second person (R21, R24).
func (l *loader) linkPromotions(c *Catalog, stages []string) {
	for _, r := range l.releases {
		d := l.at(r.File)
		key := releaseKey{r.Workspace, r.Automation, r.Version}
		if _, found := c.before(key, r.Replaces, false); r.Replaces != "" && (found == nil || r.Replaces == r.Version) {
			d.report(r.place("replaces"), codeReleaseUnknown, fmt.Sprintf("the catalogue holds no other release %q of automation %q", clip(r.Replaces), clip(r.Automation)),
				suggest(r.Replaces, c.versions(r.Workspace, r.Automation)))
		}
		d.promoted(r)
		if rank(stages, r.Stage) > 0 {
			d.mayStand(r, key, c, stages)
		}
	}
}

// promoted checks a promotion as it is written.
func (d *decoder) promoted(r *Release) {
	if p := r.Promoted; p != nil && strings.EqualFold(p.By, r.Author) {
		d.report(r.place("promoted"), codePromotion, "the release was promoted by its author",
			"have a second person promote it")
	}
}

// mayStand checks that a release may stand beyond the first stage.
func (d *decoder) mayStand(r *Release, key releaseKey, c *Catalog, stages []string) {
	if r.Promoted != nil && rank(stages, r.Promoted.To) >= rank(stages, r.Stage) {
		return
	}
	beside, was := c.before(key, r.Replaces, false)
	if was == nil {
		return
	}
	found := widenings(was, c.releases[key], stages)
	if len(found) == 0 {
		return
	}
	more := ""
	if n := len(found) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	d.report(r.place("stage"), codePromotion,
		fmt.Sprintf("the release can do what %s can't: %s%s; so it starts in stage %s, and is not promoted to %s",
			clip(beside), found[0].Words, more, stages[0], clip(r.Stage)),
		fmt.Sprintf("write stage: %s, or have a second person look at writ catalog compare and add promoted: {by, at, to: %s}", stages[0], clip(r.Stage)))
}
