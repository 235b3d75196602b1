package catalog

import (
	"encoding/json"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// unique counts a comparison of each item with each of a few, or of many with
// themselves, which is what hashing them costs.
func (w *work) unique(v []any) {
	const few = 20
	for i := range v {
		if len(v) > few {
			w.equal(v[i], v[i])
			continue
		}
		for j := range i {
			w.equal(v[i], v[j])
		}
	}
}

// equal counts a comparison of two values.
func (w *work) equal(a, b any) {
	w.left--
	if w.left < 0 {
		return
	}
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok && len(a) == len(b) {
			for name := range a {
				w.equal(a[name], b[name])
			}
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) == len(b) {
			for i := range a {
				w.equal(a[i], b[i])
			}
		}
	case string:
		w.left -= len(a) / 256
	case json.Number:
		if b, ok := b.(json.Number); ok {
			w.left -= 2 + digits(a) + digits(b)
		}
	}
}

// pattern counts a match.
func (w *work) pattern(p jsonschema.Regexp, s string) {
	if p, ok := p.(*pattern); ok {
		w.left -= 1 + len(s)*p.instructions/16
	}
}

// digits counts what it costs to compare a number exactly: it is written out.
func digits(n json.Number) int {
	mantissa, exponent, _ := strings.Cut(string(n), "e")
	e, _ := strconv.Atoi(exponent)
	return (len(mantissa) + max(e, -e)) / 16
}

// pattern is a compiled regular expression and the size of its program.
type pattern struct {
	*regexp.Regexp
	instructions int
}

func newPattern(expression string) (*pattern, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	return &pattern{re, len(program.Inst)}, nil
}
