package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// ReleasePin is a pin and the release that holds it.
type ReleasePin struct {
	Automation, Release string
	Pin                 *Pin
}

// Pins returns every pin of a server connection in a workspace, by automation,
// release and credential.
func (c *Catalog) Pins(workspace, server string) []ReleasePin {
	var pins []ReleasePin
	for key, release := range c.releases {
		if key.workspace != workspace {
			continue
		}
		for _, p := range release.pins {
			if p.Server == server {
				pins = append(pins, ReleasePin{key.automation, key.release, p})
			}
		}
	}
	slices.SortFunc(pins, func(a, b ReleasePin) int {
		return cmp.Or(
			strings.Compare(a.Automation, b.Automation),
			strings.Compare(a.Release, b.Release),
			strings.Compare(a.Pin.Credential, b.Pin.Credential),
		)
	})
	return pins
}
