package catalog

import (
	"bytes"
	"fmt"
	"slices"
)

// reworded adds a change that the prose digest covers and the fingerprint does not.
func (d *differ) reworded(path, words string) {
	d.add(Change{Kind: ProseChanged, Danger: OnlyWords, Tool: d.name, Path: clipPath(path), Words: quoted(d.name) + ": " + words})
}

// prose compares what the prose digest covers, hints aside.
func (d *differ) prose(old, now *Tool) {
	for _, p := range pairs(old.Prose, now.Prose) {
		if bytes.Equal(p.old, p.now) {
			continue
		}
		switch string(p.key) {
		case `"annotations"`:
			d.annotations(p, old.Hints != now.Hints)
		case `"outputSchema"`:
			d.reworded("", "the output schema changed")
		case `"input"`:
			before := len(d.changes)
			if d.inputProse("", p.old, p.now); len(d.changes) == before {
				d.reworded("", "the wording of its inputs changed")
			}
		default:
			d.reworded("", "the "+keyName(p.key)+" changed")
		}
	}
}

// annotations names what changed in them beside hints.
func (d *differ) annotations(p pair, hints bool) {
	before := len(d.changes)
	for _, a := range pairs(p.old, p.now) {
		if !bytes.Equal(a.old, a.now) && !isHint(a.key) {
			d.reworded("", "the annotation "+keyName(a.key)+" changed")
		}
	}
	if len(d.changes) == before && !hints {
		d.reworded("", "the annotations changed, but no hint in them")
	}
}

func isHint(key []byte) bool {
	return slices.Contains([]string{`"destructiveHint"`, `"readOnlyHint"`, `"openWorldHint"`, `"idempotentHint"`}, string(key))
}

// inputProse compares the prose sides of two schemas, or of lists and maps of them.
func (d *differ) inputProse(path string, old, now []byte) {
	for _, p := range pairs(old, now) {
		switch {
		case bytes.Equal(p.old, p.now):
		case roleOf(p.key, path == "") == proseText:
			d.reworded(path, "the "+keyName(p.key)+of(path)+" changed")
		case roleOf(p.key, false) == schemaMap:
			for _, entry := range pairs(p.old, p.now) {
				if !bytes.Equal(entry.old, entry.now) {
					d.inputProse(join(step(path, p.key), keyName(entry.key)), entry.old, entry.now)
				}
			}
		default:
			d.inputProse(step(path, p.key), p.old, p.now)
			d.listProse(step(path, p.key), p.old, p.now)
		}
	}
}

func (d *differ) listProse(path string, old, now []byte) {
	was, is := slices.Collect(elements(old)), slices.Collect(elements(now))
	for i := range max(len(was), len(is)) {
		if a, b := at(was, i), at(is, i); !bytes.Equal(a, b) {
			d.inputProse(fmt.Sprintf("%s[%d]", path, i), a, b)
		}
	}
}

func of(path string) string {
	if path == "" {
		return ""
	}
	return " of `" + clipPath(path) + "`"
}
