package catalog

import (
	"strings"
)

// suggest is the fix for a wrong word: the nearest allowed one, and all of them
// where they are few.
func suggest(got string, allowed []string) string {
	const few = 20
	fix := "write a name that exists"
	if 0 < len(allowed) && len(allowed) <= few {
		clean := make([]string, len(allowed))
		for i, word := range allowed {
			clean[i] = clip(word)
		}
		fix = "write one of: " + strings.Join(clean, ", ")
	}
	best, distance := "", 3
	for _, word := range allowed {
		if d := editDistance(strings.ToLower(clip(got)), word); d < distance && d < len(word) {
			best, distance = word, d
		}
	}
	if best == "" {
		return fix
	}
	return "did you mean " + clip(best) + "? " + fix
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
