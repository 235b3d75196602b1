package catalog

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// R19: what a reader can't see is gone, and the rest is bounded.
func TestClean(t *testing.T) {
	for _, test := range []struct {
		name, in string
		max      int
		want     string
		cut      bool
	}{
		{"plain", "Reads a file.", 80, "Reads a file.", false},
		{"languages", "Überweisung 振込 🙂", 80, "Überweisung 振込 🙂", false},
		{"lines", " a\r\n\tb \u2028 c\u00a0d\n", 80, "a b c d", false},
		{"control and escape", "a\x00b\x1b[31mc\x7f\u009bd", 80, "ab[31mcd", false},
		{"bidi", "a\u202eb\u2066c\u200fd\u061c", 80, "abcd", false},
		{"zero-width", "a\u200bb\u200dc\ufeffd\u2060", 80, "abcd", false},
		{"tags", "a\U000e0041\U000e007fb", 80, "ab", false},
		{"variation selectors and fillers", "a\ufe0f\U000e0100b\u3164c\u115f", 80, "abc", false},
		{"private use", "a\ue000b", 80, "ab", false},
		{"invalid", "a\xffb\xed\xa0\x80", 80, "ab", false},
		{"cut", "abcdef", 3, "abc", true},
		{"cut at a character", "aé€", 3, "aé", true},
		{"not cut", "abc\u200b\n", 3, "abc", false},
		{"nothing", "", 0, "", false},
		{"no room", "a", 0, "", true},
	} {
		if got, cut := Clean(test.in, test.max); got != test.want || cut != test.cut {
			t.Errorf("%s: %q, %v; want %q, %v", test.name, got, cut, test.want, test.cut)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\u202eb \U000e0041\xff", 5)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		got, cut := Clean(text, limit)
		if len(got) > 0 && len(got) > limit || !utf8.ValidString(got) || strings.TrimSpace(got) != got {
			t.Fatalf("%q", got)
		}
		for _, r := range got {
			if unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) || r != ' ' && unicode.IsSpace(r) {
				t.Fatalf("%q has %U", got, r)
			}
		}
		if again, _ := Clean(got, len(got)); again != got {
			t.Fatalf("%q becomes %q", got, again)
		}
		if whole, _ := Clean(text, 4*len(text)); !cut && whole != got {
			t.Fatalf("%q was cut to %q, unsaid", whole, got)
		}
	})
}
