package catalog

import (
	"bytes"
	"fmt"
	"slices"
)

// schema compares two contracts at one place. Whatever differs gives at least one
// change: where a keyword has no words of its own, the general ones speak.
func (d *differ) schema(path string, old, now []byte) {
	if bytes.Equal(old, now) {
		return
	}
	if old[0] != '{' || now[0] != '{' {
		d.contract(SchemaChanged, NewMeaning, path, ":%s %s", subject(path, "schema"), fromTo(old, now))
		return
	}
	was, is := texts(lookup(old, "required")), texts(lookup(now, "required"))
	for _, p := range pairs(old, now) {
		if bytes.Equal(p.old, p.now) {
			continue
		}
		before := len(d.changes)
		switch string(p.key) {
		case `"properties"`:
			d.properties(path, p, is)
		case `"required"`:
			if d.required(path, p, was, is, lookup(old, "properties"), lookup(now, "properties")) {
				continue
			}
		default:
			d.keyword(path, p)
		}
		if len(d.changes) == before {
			d.contract(KeywordChanged, dangerOf(p), path, ":%s %s%s", subject(path, keyName(p.key)), fromTo(p.old, p.now), directionWords(p))
		}
	}
}

// properties compares inputs that are described: new ones, gone ones, others.
func (d *differ) properties(path string, p pair, required map[string]bool) {
	for _, input := range pairs(p.old, p.now) {
		at := join(path, keyName(input.key))
		switch {
		case input.old == nil && required[string(input.key)]:
			d.contract(InputRequired, NewPower, at, " newly requires `%s`", clipPath(at))
		case input.old == nil:
			d.contract(InputAdded, NewPower, at, " newly accepts `%s`", clipPath(at))
		case input.now == nil:
			d.contract(InputRemoved, LessPower, at, " no longer describes `%s`", clipPath(at))
		default:
			d.schema(at, input.old, input.now)
		}
	}
}

// required compares the sets of required inputs. It reports false where they are no
// sets of names. An input that properties calls newly required is not named again.
func (d *differ) required(path string, p pair, was, is map[string]bool, before, after []byte) bool {
	if p.old != nil && was == nil || p.now != nil && is == nil {
		return false
	}
	described, describes := keys(before), keys(after)
	for _, name := range union(was, is) {
		at := join(path, keyName([]byte(name)))
		switch {
		case was[name] == is[name], is[name] && describes[name] && !described[name]:
		case is[name] && described[name]:
			d.contract(InputRequired, NewPower, at, " newly requires `%s`, which was optional", clipPath(at))
		case is[name]:
			d.contract(InputRequired, NewPower, at, " newly requires `%s`", clipPath(at))
		default:
			d.contract(InputUnrequired, LessPower, at, " no longer requires `%s`", clipPath(at))
		}
	}
	return true
}

// keyword compares the values of a keyword that has words of its own, if it has.
func (d *differ) keyword(path string, p pair) {
	switch {
	case string(p.key) == `"type"`:
		d.contract(TypeChanged, NewMeaning, path, ":%s %s", subject(path, "type"), fromTo(p.old, p.now))
	case p.old == nil || p.now == nil:
	case string(p.key) == `"enum"` && p.both('['):
		d.enum(path, p)
	case p.both('{'):
		d.schemas(path, p)
	case p.both('['):
		d.lists(path, p)
	}
}

// schemas compares a schema, or a map of them, within the one at path.
func (d *differ) schemas(path string, p pair) {
	switch roleOf(p.key, false) {
	case oneSchema, schemaOrList:
		d.schema(step(path, p.key), p.old, p.now)
	case schemaMap:
		for _, entry := range pairs(p.old, p.now) {
			d.part(join(step(path, p.key), keyName(entry.key)), entry.old, entry.now)
		}
	default:
	}
}

// lists compares lists of schemas within the one at path.
func (d *differ) lists(path string, p pair) {
	if role := roleOf(p.key, false); role != schemaList && role != schemaOrList {
		return
	}
	old, now := slices.Collect(elements(p.old)), slices.Collect(elements(p.now))
	for i := range max(len(old), len(now)) {
		d.part(fmt.Sprintf("%s[%d]", step(path, p.key), i), at(old, i), at(now, i))
	}
}

// part compares two schemas of which one may be missing.
func (d *differ) part(path string, old, now []byte) {
	switch {
	case old == nil:
		d.contract(SchemaChanged, NewMeaning, path, ": `%s` was added", clipPath(path))
	case now == nil:
		d.contract(SchemaChanged, NewPower, path, ": `%s` was removed", clipPath(path))
	default:
		d.schema(path, old, now)
	}
}

// enum compares two sets of values.
func (d *differ) enum(path string, p pair) {
	if more := minus(p.now, p.old); len(more) > 0 {
		d.contract(EnumChanged, NewPower, path, ":%s newly allows %s", subject(path, ""), clipped(bytes.Join(more, []byte(", "))))
	}
	if less := minus(p.old, p.now); len(less) > 0 {
		d.contract(EnumChanged, LessPower, path, ":%s no longer allows %s", subject(path, ""), clipped(bytes.Join(less, []byte(", "))))
	}
}
