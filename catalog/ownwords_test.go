package catalog

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// R19: what a reviewer may say beside what a server says, and what repeats it. The
// thresholds stand in ownwords_text.go; the test with real servers tries them on theirs.
func TestOwnWords(t *testing.T) {
	const server = "Send a parcel to the given address. The parcel is picked up within one hour. Returns a tracking number that the recipient can use."
	for _, c := range []struct {
		own     string
		repeats bool
	}{
		{"Orders a courier who leaves at once; it can't be called back.", false},
		{"Ships goods, and tells whoever receives them.", false},
		{"A parcel leaves the house.", false},
		{"Sends things.", false},
		{"The given address is not checked.", false},

		{server, true},
		{"Send a parcel to the given address", true},
		{"SEND a *parcel* -- to the `given` address!", true},
		{"Sends a parcel to a given address.", true},
		{"Send parcels to the given addresses", true},
		{"To the given address send a parcel.", true},
		{"Sends one parcel to an address", false},
		{"This tool will send a parcel to the given address", true},
		{"It can send a parcel to the given address, as its code shows and our trial in May confirmed.", true},
		{"We looked at the code. The parcel is picked up in one hour.", true},
		{"A person comes, returns a tracking number that the recipient can use, and leaves.", true},
		{"Picked up within one hour: the parcel is.", true},
		{"Se\u0301nd a parce\u0301l to the gi\u0301ven addre\u0301ss", true},
	} {
		s := (&serverWords{description: server}).prepare()
		if got := s.repeatedIn(c.own, true); (got != "") != c.repeats {
			t.Errorf("%q: repeats %q, want %v", c.own, got, c.repeats)
		}
	}
}

// The server can't hide its words from the comparison behind characters that a reviewer
// does not see.
func TestInvisibleCharactersHideNothing(t *testing.T) {
	s := (&serverWords{description: "S\u200bend\u00ad a par\U000E0041cel\u202e to\tthe\u00a0given add\ufe0fress"}).prepare()
	if s.repeatedIn("Send a parcel to the given address", true) == "" {
		t.Error("a copy is not seen")
	}
}

// A title may be named and texts of inputs resembled; quoting either is refused.
func TestNamesMayBeNamed(t *testing.T) {
	s := (&serverWords{names: []string{"Send Parcel"}, details: []string{"Where it goes", "The house number and the street, as the courier reads them"}}).prepare()
	for own, repeats := range map[string]bool{
		"Sends a parcel away":                              false,
		"shipping.go, the handler behind Send Parcel":      false,
		"Where it goes":                                    false,
		"send parcel":                                      true,
		"the street, as the courier reads them, is public": true,
	} {
		if got := s.repeatedIn(own, true); (got != "") != repeats {
			t.Errorf("%q: repeats %q, want %v", own, got, repeats)
		}
	}
}

// R5: a basis may name what the server names, and is no basis where it quotes.
func TestABasisThatQuotesTheServer(t *testing.T) {
	s := (&serverWords{description: "Delete a parcel. The parcel is gone for good, wherever it is at the time."}).prepare()
	for reference, repeats := range map[string]bool{
		"deletes the parcel: store.go, line 30":                   false,
		"it says that the parcel is gone for good, wherever":      true,
		"The parcel is gone for good, wherever it is at the time": true,
	} {
		if got := s.repeatedIn(reference, false); (got != "") != repeats {
			t.Errorf("%q: repeats %q, want %v", reference, got, repeats)
		}
	}
}

// longestRun is as long as the longest one that trying all of them finds.
func TestLongestRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 12)
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		longest := 0
		for i := range a {
			for j := i + 1; j <= len(a); j++ {
				if strings.Contains(" "+strings.Join(b, " ")+" ", " "+strings.Join(a[i:j], " ")+" ") {
					longest = max(longest, j-i)
				}
			}
		}
		run := longestRun(a, b)
		if len(run) != longest || longest > 0 && !strings.Contains(strings.Join(a, ""), strings.Join(run, "")) {
			t.Fatalf("got %v, want %d words", run, longest)
		}
	})
}

// A whole copy is seen however it is marked up, and in any list of one.
func FuzzOwnWords(f *testing.F) {
	f.Add("Send a parcel to the given address.", "It does.")
	f.Add("。一二三四五六七八九十一二三四五六七八九十一二三四五六七八", "\n\n; ; ;")
	f.Fuzz(func(t *testing.T, server, own string) {
		s := (&serverWords{description: server}).prepare()
		s.repeatedIn(own, true)
		if len(server) < comparedBytes && len(plainWords(server)) > 0 && s.repeatedIn("*"+strings.ToUpper(server)+"* ", true) == "" &&
			strings.EqualFold(strings.ToUpper(server), server) {
			t.Fatalf("a copy of %q is not seen", server)
		}
	})
}

// What is compared of a server's text is bounded: a hostile list costs no minutes, and
// what a reader sees first is still compared.
func TestLongWordsAreBounded(t *testing.T) {
	own := strings.Repeat("a bcd efg hij. ", maxText/15)
	for _, server := range []string{strings.Repeat("xyz abc def ghi. ", 1<<20), strings.Repeat("a ", 1<<22), strings.Repeat("a", 1<<22)} {
		s := (&serverWords{description: server, details: []string{server, server}}).prepare()
		if copied := s.repeatedIn(own, true); copied != "" {
			t.Errorf("%.20q… is said to repeat %.20q…", own, copied)
		}
		if s.repeatedIn(server[:comparedBytes], true) == "" {
			t.Errorf("a copy of %.20q… is not seen", server)
		}
	}
}
