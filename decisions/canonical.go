package decisions

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrJSON is what every refusal of a JSON text wraps.
var ErrJSON = errors.New("JSON is refused")

// Limits bounds a JSON text. Zero fields mean the defaults.
type Limits struct {
	// Size is the most bytes of input; DefaultSize where 0.
	Size int
	// Depth is the most arrays and objects within each other; DefaultDepth where 0.
	Depth int
}

// Bounds of a JSON text. Those of numbers hold for the value, not its spelling, and
// are wide enough for every IEEE 754 format; without them 1e999999999 would make
// whoever evaluates it expand it.
const (
	DefaultSize  = 16 << 20
	DefaultDepth = 128
	MaxDigits    = 1000 // significant decimal digits of a number
	MaxExponent  = 9999 // of a number in scientific notation, either sign
)

// SyntaxError says where and why a JSON text was refused. It wraps ErrJSON.
type SyntaxError struct {
	// Path is a JSON pointer, quoted where a key holds what does not print.
	Path string
	// Offset counts bytes from the start of the input.
	Offset int
	// Problem says what was found and what is expected.
	Problem string
}

func (e *SyntaxError) Error() string {
	place := e.Path
	if place == "" {
		place = "the root"
	}
	return fmt.Sprintf("%v at %s (byte %d): %s", ErrJSON, place, e.Offset, e.Problem)
}

func (e *SyntaxError) Unwrap() error { return ErrJSON }

// Canonical appends the canonical form (version cj1: one text for one value) of the
// JSON value in src to dst, which may be nil. On an error, a *SyntaxError, it returns
// nil.
//
// It is RFC 8785 (JCS) with exact numbers. The input is RFC 8259, read strictly; the
// output is UTF-8 without insignificant white space, where
//
//   - object members are sorted by the UTF-16 code units of their keys;
//   - a string has only the escapes \" \\ \b \t \n \f \r, and \u00xx (lower case) for
//     the other control characters; everything else stands as it is, so NFC and NFD
//     stay different;
//   - a number is written the way ECMAScript writes it, but with all of its digits:
//     1, 1.0 and 1e0 are 1, -0 is 0, 1e400 is 1e+400, and 9007199254740993 keeps its
//     last digit. Numbers have the same text if and only if they are equal.
//
// Where each number is a double's shortest text, cj1 and JCS are the same bytes.
//
//	{ "b": [1.50, -0, "\u0041/"], "a": null }   in
//	{"a":null,"b":[1.5,0,"A/"]}                 out
//
// Refused rather than repaired (R16): duplicate keys (compared after unescaping),
// invalid UTF-8, lone surrogates, anything that RFC 8259 does not allow, anything
// after the value, and what is beyond Limits, MaxDigits or MaxExponent.
func Canonical(dst, src []byte, lim Limits) ([]byte, error) {
	dst, rest, err := CanonicalNext(dst, src, lim)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, &SyntaxError{Offset: len(src) - len(rest), Problem: "more text after the value: send one value"}
	}
	return dst, nil
}

// CanonicalNext is Canonical for the first of several values that follow one another;
// rest is what comes after it and after white space. The offset in an error counts
// from the start of src.
func CanonicalNext(dst, src []byte, lim Limits) (out, rest []byte, err error) {
	if lim.Size == 0 {
		lim.Size = DefaultSize
	}
	if lim.Depth == 0 {
		lim.Depth = DefaultDepth
	}
	if len(src) > lim.Size {
		return nil, nil, &SyntaxError{Offset: lim.Size, Problem: fmt.Sprintf("%d bytes are too many: send at most %d", len(src), lim.Size)}
	}
	p := canonicalizer{src: src, dst: dst, depth: lim.Depth}
	if serr := p.value(); serr != nil {
		return nil, nil, serr
	}
	p.space()
	return p.dst, src[p.pos:], nil
}

// canonicalizer reads src once from left to right and writes dst behind it.
type canonicalizer struct {
	src, dst []byte
	pos      int
	// depth is how many more levels may be entered.
	depth int
}

// value reads one value and the white space before it.
func (p *canonicalizer) value() *SyntaxError {
	p.space()
	switch c := p.peek(); {
	case c == '"':
		_, err := p.string()
		return err
	case c == '{' || c == '[':
		return p.nested(c)
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	case c == 't':
		return p.literal("true")
	case c == 'f':
		return p.literal("false")
	case c == 'n':
		return p.literal("null")
	}
	return p.unexpected("a JSON value")
}

// nested reads an array or object if one more level is allowed.
func (p *canonicalizer) nested(open byte) (err *SyntaxError) {
	if p.depth == 0 {
		return p.fail("nested too deep: flatten it")
	}
	p.depth--
	if open == '{' {
		err = p.object()
	} else {
		err = p.array()
	}
	p.depth++
	return err
}

func (p *canonicalizer) array() *SyntaxError {
	p.pos++
	p.dst = append(p.dst, '[')
	p.space()
	if p.take(']') {
		p.dst = append(p.dst, ']')
		return nil
	}
	for i := 0; ; i++ {
		if err := p.value(); err != nil {
			return err.within(strconv.Itoa(i))
		}
		p.space()
		if p.take(']') {
			p.dst = append(p.dst, ']')
			return nil
		}
		if !p.take(',') {
			return p.unexpected("',' or ']'")
		}
		p.dst = append(p.dst, ',')
	}
}

func (p *canonicalizer) literal(word string) *SyntaxError {
	if !strings.HasPrefix(string(p.src[p.pos:min(len(p.src), p.pos+len(word))]), word) {
		return p.unexpected(word)
	}
	p.pos += len(word)
	p.dst = append(p.dst, word...)
	return nil
}

// space skips white space.
func (p *canonicalizer) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end.
func (p *canonicalizer) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// take skips the next byte if it is c.
func (p *canonicalizer) take(c byte) bool {
	if p.pos < len(p.src) && p.src[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *canonicalizer) fail(problem string) *SyntaxError {
	return &SyntaxError{Offset: p.pos, Problem: problem}
}

func (p *canonicalizer) unexpected(wanted string) *SyntaxError {
	if p.pos >= len(p.src) {
		return p.fail("the text ends where " + wanted + " is expected")
	}
	return p.fail(fmt.Sprintf("found %q where %s is expected", string(p.src[p.pos:p.pos+1]), wanted))
}

// within puts one step in front of the error's path. Paths of hostile depth or length
// are cut on the left, where they say least.
func (e *SyntaxError) within(step string) *SyntaxError {
	const longest = 256
	quoted := strconv.Quote(step)
	step = strings.NewReplacer("~", "~0", "/", "~1").Replace(quoted[1 : len(quoted)-1])
	if len(e.Path)+len(step) > longest {
		if !strings.HasPrefix(e.Path, "/…") {
			e.Path = "/…" + e.Path
		}
		return e
	}
	if strings.HasPrefix(e.Path, "/…") {
		return e
	}
	e.Path = "/" + step + e.Path
	return e
}
