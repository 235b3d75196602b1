package decisions

import "slices"

// member is one `"key":value` of an object that is being written.
type member struct {
	// start, keyEnd and end are offsets in the output; at is the key's in the input.
	start, keyEnd, end, at int
	// escaped: the key's canonical text has an escape in it.
	escaped bool
}

// object writes members in the order of the input and sorts them at the end, where
// they are not sorted already.
func (p *canonicalizer) object() *SyntaxError {
	p.pos++
	p.dst = append(p.dst, '{')
	p.space()
	if p.take('}') {
		p.dst = append(p.dst, '}')
		return nil
	}
	var few [8]member // room for most objects; kept out of p, it needs no allocation
	members, sorted := few[:0], true
	for {
		m, err := p.member()
		if err != nil {
			return err
		}
		if n := len(members); sorted && n > 0 {
			sorted = p.compare(members[n-1], m) < 0
		}
		members = append(members, m)
		p.space()
		if p.take('}') {
			break
		}
		if !p.take(',') {
			return p.unexpected("',' or '}'")
		}
		p.dst = append(p.dst, ',')
	}
	if !sorted {
		if err := p.sort(members); err != nil {
			return err
		}
	}
	p.dst = append(p.dst, '}')
	return nil
}

// member reads and writes one key and its value.
func (p *canonicalizer) member() (m member, err *SyntaxError) {
	p.space()
	if p.peek() != '"' {
		return m, p.unexpected("a key in quotes")
	}
	m.start, m.at = len(p.dst), p.pos
	if m.escaped, err = p.string(); err != nil {
		return m, err
	}
	m.keyEnd = len(p.dst)
	p.space()
	if !p.take(':') {
		return m, p.unexpected("':'")
	}
	p.dst = append(p.dst, ':')
	if err = p.value(); err != nil {
		return m, err.within(p.key(m))
	}
	m.end = len(p.dst)
	return m, nil
}

// sort puts the members, which are what was written last, in order. It uses the
// output's own tail as the place to copy to.
func (p *canonicalizer) sort(members []member) *SyntaxError {
	first, end := members[0].start, len(p.dst)
	slices.SortStableFunc(members, p.compare)
	for i := 1; i < len(members); i++ {
		if p.compare(members[i-1], members[i]) == 0 {
			key := p.key(members[i])
			err := &SyntaxError{Offset: members[i].at, Problem: "duplicate key: send each key once"}
			return err.within(key)
		}
	}
	for i, m := range members {
		if i > 0 {
			p.dst = append(p.dst, ',')
		}
		p.dst = append(p.dst, p.dst[m.start:m.end]...)
	}
	copy(p.dst[first:end], p.dst[end:])
	p.dst = p.dst[:end]
	return nil
}

// key returns a member's key, unescaped.
func (p *canonicalizer) key(m member) string {
	return Unquote(p.dst[m.start:m.keyEnd])
}

func (p *canonicalizer) compare(a, b member) int {
	ka, kb := p.dst[a.start+1:a.keyEnd-1], p.dst[b.start+1:b.keyEnd-1]
	if a.escaped || b.escaped {
		ka, kb = []byte(p.key(a)), []byte(p.key(b))
	}
	return compareUTF16(ka, kb)
}

// CompareKeys orders two keys like RFC 8785 §3.2.3: by their UTF-16 code units.
func CompareKeys(a, b string) int { return compareUTF16([]byte(a), []byte(b)) }

// compareUTF16 orders two UTF-8 texts by their UTF-16 code units. That is the order
// of their bytes, except that a surrogate (a lead byte of F0 and up) comes before
// U+E000 to U+FFFF (lead bytes EE and EF).
func compareUTF16(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}
