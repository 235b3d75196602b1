package catalog

import (
	"math/big"
	"slices"
)

// direction says which way a bound moved: 1 where it newly lets more through, -1
// where it lets less through, 0 where it is no bound or can't be said.
func direction(p pair) int {
	which := string(p.key)
	upper := slices.Contains([]string{`"maximum"`, `"exclusiveMaximum"`, `"maxLength"`, `"maxItems"`, `"maxProperties"`, `"maxContains"`}, which)
	lower := slices.Contains([]string{`"minimum"`, `"exclusiveMinimum"`, `"minLength"`, `"minItems"`, `"minProperties"`, `"minContains"`}, which)
	switch {
	case !upper && !lower:
		return 0
	case p.now == nil:
		return 1
	case p.old == nil:
		return -1
	}
	old, was := new(big.Rat).SetString(string(p.old))
	now, is := new(big.Rat).SetString(string(p.now))
	if !was || !is {
		return 0
	}
	if lower {
		old, now = now, old
	}
	return now.Cmp(old)
}

// dangerOf: a wider bound opens, and so does what was asked for and no longer is; a
// narrower one takes back; the rest may mean anything.
func dangerOf(p pair) Danger {
	switch direction(p) {
	case 1:
		return NewPower
	case -1:
		return LessPower
	}
	if p.now == nil {
		return NewPower
	}
	return NewMeaning
}

// directionWords follow what a bound was and is.
func directionWords(p pair) string {
	switch direction(p) {
	case 1:
		return ", which is wider"
	case -1:
		return ", which is narrower"
	}
	return ""
}
