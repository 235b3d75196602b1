package decisions

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns the text of a string in canonical form, quotes included. What is
// not in canonical form gives nonsense, but no panic.
func Unquote(canonical []byte) string {
	if len(canonical) < 2 {
		return ""
	}
	body := canonical[1 : len(canonical)-1]
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body)
	}
	text := make([]byte, 0, len(body))
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' || i+1 == len(body) {
			text = append(text, body[i])
			continue
		}
		i++
		if body[i] == 'u' && i+4 < len(body) {
			unit, _ := hex4(body[i+1:])
			text = utf8.AppendRune(text, rune(unit))
			i += 4
			continue
		}
		text = append(text, unescape(body[i]))
	}
	return string(text)
}

// string reads one string. It reports whether the canonical text has escapes.
func (p *canonicalizer) string() (escaped bool, err *SyntaxError) {
	p.dst = append(p.dst, '"')
	for p.pos++; ; {
		start := p.pos
		for p.pos < len(p.src) && plain(p.src[p.pos]) {
			p.pos++
		}
		p.dst = append(p.dst, p.src[start:p.pos]...)
		switch c := p.peek(); {
		case p.pos >= len(p.src):
			return false, p.fail("the text ends within a string")
		case c == '"':
			p.pos++
			p.dst = append(p.dst, '"')
			return escaped, nil
		case c == '\\':
			before := len(p.dst)
			if err := p.escape(); err != nil {
				return false, err
			}
			escaped = escaped || p.dst[before] == '\\'
		case c < ' ':
			return false, p.fail(fmt.Sprintf("control character %#02x in a string: escape it", c))
		default:
			r, size := utf8.DecodeRune(p.src[p.pos:])
			if r == utf8.RuneError && size == 1 {
				return false, p.fail("invalid UTF-8")
			}
			p.dst = append(p.dst, p.src[p.pos:p.pos+size]...)
			p.pos += size
		}
	}
}

func plain(c byte) bool { return ' ' <= c && c < utf8.RuneSelf && c != '"' && c != '\\' }

// escape reads one escape and writes what it means.
func (p *canonicalizer) escape() *SyntaxError {
	if p.pos+1 >= len(p.src) {
		return p.fail("the text ends within an escape")
	}
	c := p.src[p.pos+1]
	if c == 'u' {
		return p.unicodeEscape()
	}
	r := unescape(c)
	if r == 0 {
		return p.fail(fmt.Sprintf("unknown escape %q", `\`+string(rune(c))))
	}
	p.pos += 2
	p.dst = appendRune(p.dst, rune(r))
	return nil
}

// unicodeEscape reads \uXXXX, or two of them that are a surrogate pair.
func (p *canonicalizer) unicodeEscape() *SyntaxError {
	unit, ok := hex4(p.src[p.pos+2:])
	if !ok {
		return p.fail(`\u without four hex digits`)
	}
	r, size := rune(unit), 6
	if utf16.IsSurrogate(r) {
		low := rune(0)
		if rest := p.src[p.pos+6:]; len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
			unit, _ = hex4(rest[2:])
			low = rune(unit)
		}
		r, size = utf16.DecodeRune(r, low), 12
		if r == utf8.RuneError {
			return p.fail("lone surrogate: it is no character")
		}
	}
	p.pos += size
	p.dst = appendRune(p.dst, r)
	return nil
}

// unescape returns the character of a one-letter escape, or 0.
func unescape(letter byte) byte {
	switch letter {
	case '"', '\\', '/':
		return letter
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}

// hex4 reads four hex digits.
func hex4(text []byte) (unit uint16, ok bool) {
	if len(text) < 4 {
		return 0, false
	}
	for _, c := range text[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		unit = unit<<4 | uint16(c)
	}
	return unit, true
}

// appendRune writes a character with the escapes of RFC 8785 §3.2.2.2.
func appendRune(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	if r < ' ' {
		return fmt.Appendf(dst, `\u%04x`, r)
	}
	return utf8.AppendRune(dst, r)
}

// Quote appends text as a string in canonical form. Text is valid UTF-8; what is not
// becomes U+FFFD.
func Quote(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, r := range text {
		dst = appendRune(dst, r)
	}
	return append(dst, '"')
}
