package catalog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/writ-dev/writ/decisions"
)

// Clean returns a server's text as it may be shown: at most limit bytes, cut at a
// character's boundary, without control, escape, bidi, zero-width and tag characters
// and the like; tabs and line ends become one space (R19). It reports whether something
// was cut off. The result is still untrusted: pass the label on with it.
func Clean(text string, limit int) (clean string, truncated bool) {
	var b strings.Builder
	space := 0 // Bytes of the space that is due before the next character.
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = min(b.Len(), 1)
			continue
		case unshown(r):
			continue
		case b.Len()+space+utf8.RuneLen(r) > limit:
			return b.String(), true
		}
		b.WriteString(" "[:space])
		b.WriteRune(r)
		space = 0
	}
	return b.String(), false
}

// unshown tells characters that a reader does not see, or that change how others are
// seen: categories Cc, Cf (bidi, zero-width, tags), Co, Cs, Zl, Zp; what Unicode lists
// as default-ignorable (variation selectors, fillers); and U+FFFD, which is what
// invalid UTF-8 reads as.
func unshown(r rune) bool {
	return r == utf8.RuneError ||
		unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// longestQuote is the most bytes of a server's name or value in one sentence.
const longestQuote = 80

// quoted puts a server's name into a sentence.
func quoted(name string) string {
	clean, truncated := Clean(name, longestQuote)
	if truncated {
		clean += "…"
	}
	return "`" + strings.ReplaceAll(clean, "`", "'") + "`"
}

// clipped puts a server's JSON value into a sentence.
func clipped(value []byte) string {
	clean, truncated := Clean(string(value), longestQuote)
	if truncated {
		clean += "…"
	}
	return clean
}

// quote appends text as a JSON string in canonical form.
func quote(dst []byte, text string) []byte { return decisions.Quote(dst, text) }
