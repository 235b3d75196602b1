package rego

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"

	"github.com/open-policy-agent/opa/v1/ast"
)

// maxClassed is the longest number, in bytes, that is told from others by its place
// among the constants: up to here every number is exact.
const maxClassed = 15

// appendClass writes in place of a value, as it stands in a document, what rules can tell
// of it: its type, and where it stands among the constants of that type. A value that
// is not classed is written as it is, behind "=".
//
//	"#n0"        a number less than all constants (or there are none)
//	"#n1"        the first constant; "#n2" between the first and the second
//	"#s4:1"      a text after the second constant that has the first affix
//	"#t" "#f" "#z" "#a" "#o"   true, false, null, a list, an object
func (a *atoms) appendClass(b, value []byte) []byte {
	if json.Valid(value) {
		switch value[0] {
		case '"':
			return a.appendText(b, value)
		case 't', 'f', 'n', '[', '{':
			return append(b, '#', letter(value[0]))
		default:
			if place, ok := a.number(value); ok {
				return strconv.AppendInt(append(b, "#n"...), int64(place), 10)
			}
		}
	}
	return append(append(b, '='), value...)
}

// letter names a type by the first byte of its values.
func letter(first byte) byte {
	switch first {
	case 'n':
		return 'z'
	case '[':
		return 'a'
	case '{':
		return 'o'
	}
	return first
}

func (a *atoms) appendText(b, quoted []byte) []byte {
	text := quoted[1 : len(quoted)-1]
	if !plainText(text) {
		var decoded string
		if err := json.Unmarshal(quoted, &decoded); err != nil {
			panic(err) // The value is valid.
		}
		text = []byte(decoded)
	}
	i := sort.Search(len(a.texts), func(i int) bool { return a.texts[i] >= string(text) })
	place := 2 * i
	if i < len(a.texts) && a.texts[i] == string(text) {
		place++
	}
	b = strconv.AppendInt(append(b, "#s"...), int64(place), 10)
	has := uint64(0)
	for i := range a.affixes {
		if a.affixes[i].holds(text) {
			has |= 1 << i
		}
	}
	return strconv.AppendUint(append(b, ':'), has, 16)
}

// plainText says whether a JSON text stands for itself.
func plainText(text []byte) bool {
	return !bytes.ContainsFunc(text, func(c rune) bool { return c == '\\' || c >= 0x80 })
}

// number is a number's place. It has none where it is written like no other, or is a
// constant that is written differently.
func (a *atoms) number(lexeme []byte) (place int, ok bool) {
	if len(lexeme) > maxClassed || bytes.ContainsAny(lexeme, "eE") {
		return 0, false
	}
	value := ast.Number(lexeme)
	i := sort.Search(len(a.numbers), func(i int) bool { return ast.NumberCompare(a.numbers[i], value) >= 0 })
	if i == len(a.numbers) || ast.NumberCompare(a.numbers[i], value) != 0 {
		return 2 * i, true
	}
	return 2*i + 1, string(a.numbers[i]) == string(lexeme)
}

// replace puts the class of a value, from a place in b on, where it stands.
func (a *atoms) replace(b []byte, from int) []byte {
	end := len(b)
	b = a.appendClass(b, b[from:end])
	return b[:from+copy(b[from:], b[end:])]
}
