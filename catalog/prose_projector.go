package catalog

import (
	"bytes"
	"slices"
)

// projector copies one side of a schema. It reads each byte once, however deep.
type projector struct {
	side projection
	// src is what is still to be read.
	src, dst []byte
}

// schema copies the schema that comes next, or nothing where it has nothing on this
// side.
func (p *projector) schema(root bool) {
	if p.src[0] != '{' {
		p.kept()
		return
	}
	p.object(func(keyword []byte) { p.keyword(keyword, root) })
}

// keyword copies the value of a keyword.
func (p *projector) keyword(keyword []byte, root bool) {
	open := p.src[0]
	switch role := roleOf(keyword, root); {
	case role == proseText:
		p.prose()
	case role == oneSchema, role == schemaOrList && open != '[':
		p.schema(false)
	case role == schemaMap && open == '{':
		p.object(func([]byte) { p.schema(false) })
	case (role == schemaList || role == schemaOrList) && open == '[':
		p.list()
	case role == set && open == '[' && p.side != proseOnly:
		p.set(string(keyword) == `"required"`)
	default:
		p.kept()
	}
}

// prose copies a value that only the contract leaves out.
func (p *projector) prose() {
	if value := p.take(); p.side != contractOnly {
		p.dst = append(p.dst, value...)
	}
}

// kept copies a value that only prose leaves out.
func (p *projector) kept() {
	if value := p.take(); p.side != proseOnly {
		p.dst = append(p.dst, value...)
	}
}

// object copies those members for whose value something is copied.
func (p *projector) object(value func(key []byte)) {
	start := len(p.dst)
	p.dst = append(p.dst, '{')
	for p.next() {
		key := p.take()
		p.src = p.src[len(":"):]
		before := len(p.dst)
		p.dst = append(append(p.dst, key...), ':')
		begin := len(p.dst)
		if value(key); len(p.dst) == begin {
			p.dst = p.dst[:before]
			continue
		}
		p.dst = append(p.dst, ',')
	}
	if p.side == proseOnly && len(p.dst) == start+1 {
		p.dst = p.dst[:start]
		return
	}
	p.dst = closed(p.dst, '}')
}

// list copies schemas. One without prose keeps its place among those with it, as {}.
func (p *projector) list() {
	start, silent := len(p.dst), p.side == proseOnly
	p.dst = append(p.dst, '[')
	for p.next() {
		before := len(p.dst)
		if p.schema(false); len(p.dst) == before {
			p.dst = append(p.dst, "{}"...)
		} else {
			silent = false
		}
		p.dst = append(p.dst, ',')
	}
	if silent {
		p.dst = p.dst[:start]
		return
	}
	p.dst = closed(p.dst, ']')
}

// set copies the elements of an array sorted, each once.
func (p *projector) set(dropEmpty bool) {
	set := slices.SortedFunc(elements(p.take()), bytes.Compare)
	set = slices.CompactFunc(set, bytes.Equal)
	if len(set) == 0 && dropEmpty {
		return
	}
	p.dst = append(p.dst, '[')
	p.dst = append(p.dst, bytes.Join(set, []byte{','})...)
	p.dst = append(p.dst, ']')
}

// take reads the value that comes next.
func (p *projector) take() []byte {
	n := extent(p.src)
	value := p.src[:n]
	p.src = p.src[n:]
	return value
}

// next reads the bracket or comma before a member or element, and reports whether
// there is one; otherwise it has read the closing bracket.
func (p *projector) next() bool {
	before := p.src[0]
	p.src = p.src[1:]
	if before == '}' || before == ']' {
		return false
	}
	if end := p.src[0]; end == '}' || end == ']' {
		p.src = p.src[1:]
		return false
	}
	return true
}
