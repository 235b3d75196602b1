package catalog

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/writ-dev/writ/decisions"
)

// plain is what most schemas say, held against the canonical arguments without making
// values of them. It only ever says yes: what it does not surely accept is for the
// validator to judge, and to word. One schema looks at each value, once, so that it
// costs about what reading does. Nil accepts nothing.
type plain struct {
	types types
	// values are enum's and const's canonical texts; nil: any.
	values  map[string]bool
	bounds  []bound
	length  size // of a text, in code points
	members size
	items   size

	// properties are by canonical key, quotes included; others is for all that are not
	// there, and item for what an array holds.
	properties   map[string]property
	required     int
	others, item *plain
}

type property struct {
	*plain
	required bool
}

// types is a set of the schema's types.
type types uint8

const (
	nullType types = 1 << iota
	booleanType
	integerType
	numberType
	stringType
	arrayType
	objectType
	anyType = 1<<iota - 1
)

// size bounds how many there are.
type size struct{ least, most int }

func (s size) holds(n int) bool { return s.least <= n && n <= s.most }

// bound is one side of what a number may be.
type bound struct {
	// side is 1 where a number must be above, -1 where it must be below.
	side int
	// value is rounded to a double.
	value float64
	// text is the canonical number that may be reached; empty where none may.
	text string
}

// accepts reports whether arguments in canonical form surely fit. Nil stands for
// omitted ones.
func (p *plain) accepts(canonical []byte) bool {
	if canonical == nil {
		canonical = []byte("{}")
	}
	r := decisions.ReadCanonical(canonical)
	return p.fits(&r)
}

func (p *plain) fits(r *decisions.Reader) bool {
	if p == nil {
		return false
	}
	switch r.Peek() {
	case '{':
		return p.may(objectType) && p.values == nil && p.object(r)
	case '[':
		return p.may(arrayType) && p.values == nil && p.array(r)
	case '"':
		text := r.Text()
		return p.may(stringType) && p.among(text) && p.long(text)
	case 't', 'f':
		return p.may(booleanType) && p.among(r.Scalar())
	case 'n':
		return p.may(nullType) && p.among(r.Scalar())
	}
	return p.number(r.Scalar())
}

func (p *plain) may(t types) bool { return p.types&t != 0 }

func (p *plain) among(text []byte) bool { return p.values == nil || p.values[string(text)] }

func (p *plain) object(r *decisions.Reader) bool {
	n, required := 0, 0
	for ; r.Next('}'); n++ {
		member, named := p.properties[string(r.Key())]
		if !named {
			member.plain = p.others
		}
		if member.required {
			required++
		}
		if !member.fits(r) {
			return false
		}
	}
	return required == p.required && p.members.holds(n)
}

func (p *plain) array(r *decisions.Reader) bool {
	n := 0
	for ; r.Next(']'); n++ {
		if !p.item.fits(r) {
			return false
		}
	}
	return p.items.holds(n)
}

func (p *plain) long(text []byte) bool {
	if p.length == (size{most: math.MaxInt}) {
		return true
	}
	if bytes.IndexByte(text, '\\') >= 0 {
		return p.length.holds(utf8.RuneCountInString(decisions.Unquote(text)))
	}
	return p.length.holds(utf8.RuneCount(text) - len(`""`))
}

// number tells order by doubles: rounding keeps it, so two that differ tell. Where they
// are equal, only the same text does.
func (p *plain) number(text []byte) bool {
	if !p.may(numberType) && (!p.may(integerType) || bytes.ContainsAny(text, ".e")) || !p.among(text) {
		return false
	}
	if len(p.bounds) == 0 {
		return true
	}
	value, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return false
	}
	for _, b := range p.bounds {
		if cmp.Compare(value, b.value) != b.side && string(text) != b.text {
			return false
		}
	}
	return true
}
