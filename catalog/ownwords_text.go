package catalog

import (
	"slices"
	"strings"
	"unicode"
)

// What counts as the server's words. Chosen on the 138 descriptions of nine published
// servers: of 101 descriptions written for them in a reviewer's own words, none shares more
// than two words in a row with the server, none is nearer than 0.40 to one of its
// sentences, and none has more than 0.72 of its own pieces there. Of copies with one word
// exchanged, 0.56 is the furthest, with one dropped 0.61, with the halves swapped 0.88; of
// copies with one in five words dropped, one in sixteen gets through.
const (
	// quotedWords in a row are a quotation.
	quotedWords = 6
	// quotedLetters of a whole sentence are one too; fewer may agree by chance.
	quotedLetters = 24
	// copiedLetters are what a sentence has at least to be compared by likeness.
	copiedLetters = 12
	// copiedLikeness is how alike a near copy and its model are (Dice's coefficient).
	copiedLikeness = 0.55
	// copiedInside is how much of a sentence of insideWords and more stands in the model.
	copiedInside = 0.8
	insideWords  = 5
	// comparedBytes bound what is compared of one server's text, so that a hostile list
	// costs no minutes.
	comparedBytes = 64 << 10
	// shingle is how many characters are compared at a time. A changed ending changes
	// few of them.
	shingle = 4
)

// passage is a text as it is compared: without case, punctuation, markup and invisible
// characters.
type passage struct {
	words     []string
	sentences []sentence
}

// sentence is one sentence, or the whole text.
type sentence struct {
	// said is how it was written, words what it consists of.
	said     string
	words    []string
	letters  int
	shingles map[string]struct{}
}

func newPassage(s string) passage {
	s = s[:min(len(s), comparedBytes)]
	t := passage{words: plainWords(s)}
	parts := sentencesOf(s)
	if len(parts) > 1 {
		parts = append(parts, s)
	}
	for _, part := range parts {
		if words := plainWords(part); len(words) > 0 {
			t.sentences = append(t.sentences, newSentence(part, words))
		}
	}
	return t
}

// sentencesOf splits a text. A sentence ends with its sign and a space, or with its line.
func sentencesOf(s string) []string {
	var parts []string
	start, sign := 0, false
	for i, r := range s {
		if r == '\n' || sign && unicode.IsSpace(r) {
			parts = append(parts, s[start:i])
			start = i
		}
		sign = strings.ContainsRune(".!?;:", r)
	}
	return append(parts, s[start:])
}

// plainWords splits a text into its words.
func plainWords(s string) []string {
	visible := strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && unshown(r) {
			return -1
		}
		return folded(r)
	}, s)
	return strings.FieldsFunc(visible, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// folded returns one letter for all that differ in case only.
func folded(r rune) rune {
	first := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		first = min(first, other)
	}
	return unicode.ToLower(first)
}

func newSentence(said string, words []string) sentence {
	runes := []rune(" " + strings.Join(words, " ") + " ")
	s := sentence{said: said, words: words, letters: len(runes) - len(words) - 1, shingles: map[string]struct{}{}}
	for i := 0; i+shingle <= len(runes); i++ {
		s.shingles[string(runes[i:i+shingle])] = struct{}{}
	}
	return s
}

// quotes returns what a text has word by word of the server's: the same words as a
// whole, a whole sentence, or a run of words.
func (t passage) quotes(server passage) string {
	if len(server.words) == 0 {
		return ""
	}
	if slices.Equal(t.words, server.words) {
		return strings.Join(server.words, " ")
	}
	for _, s := range server.sentences {
		if s.letters >= quotedLetters && len(longestRun(t.words, s.words)) == len(s.words) {
			return s.said
		}
	}
	for _, own := range t.sentences {
		if own.letters >= quotedLetters && len(longestRun(own.words, server.words)) == len(own.words) {
			return own.said
		}
	}
	if run := longestRun(t.words, server.words); len(run) >= quotedWords {
		return strings.Join(run, " ")
	}
	return ""
}

// longestRun returns the longest run of words that stands in both.
func longestRun(a, b []string) []string {
	end, longest := 0, 0
	above, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for i := range a {
		for j := range b {
			row[j+1] = 0
			if a[i] == b[j] {
				row[j+1] = above[j] + 1
			}
			if row[j+1] > longest {
				end, longest = i+1, row[j+1]
			}
		}
		above, row = row, above
	}
	return a[end-longest : end]
}

// nearCopy returns the sentence of the server that a text has only reworded a little.
func (t passage) nearCopy(server passage) string {
	for _, own := range t.sentences {
		for _, s := range server.sentences {
			if min(own.letters, s.letters) < copiedLetters {
				continue
			}
			shared := float64(own.shared(s))
			alike := 2 * shared / float64(len(own.shingles)+len(s.shingles))
			inside := shared / float64(len(own.shingles))
			if alike >= copiedLikeness || len(own.words) >= insideWords && inside >= copiedInside {
				return s.said
			}
		}
	}
	return ""
}

func (s sentence) shared(other sentence) int {
	n := 0
	for piece := range s.shingles {
		if _, both := other.shingles[piece]; both {
			n++
		}
	}
	return n
}
