package decisions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"
)

// jsonValue draws a value as encoding/json would decode it with UseNumber.
func jsonValue(depth int) *rapid.Generator[any] {
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab\"\\/\n\x01\x7fé€\ufb33😀e\u0301")))
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 6
		if depth == 0 {
			kinds = 4
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return text.Draw(t, "text")
		case 3:
			return json.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number"))
		case 4:
			return rapid.SliceOfN(jsonValue(depth-1), 0, 4).Draw(t, "array")
		}
		return rapid.MapOfN(text, jsonValue(depth-1), 0, 5).Draw(t, "object")
	})
}

// spell writes a value in one of its many spellings.
func spell(v any, r *rand.Rand) string {
	space := strings.Repeat(" ", r.IntN(2))
	switch v := v.(type) {
	case nil:
		return space + "null"
	case bool:
		return strconv.FormatBool(v) + space
	case string:
		return spellString(v, r)
	case json.Number:
		return space + respell(v, r)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = spell(v[i], r)
		}
		return "[" + space + strings.Join(parts, ",") + "]"
	}
	object := v.(map[string]any)
	var parts []string
	for k, v := range object {
		parts = append(parts, spellString(k, r)+space+":"+spell(v, r))
	}
	slices.Sort(parts) // A seed means one spelling.
	r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return "{" + strings.Join(parts, space+",") + "}"
}

func spellString(s string, r *rand.Rand) string {
	b := []byte{'"'}
	for _, c := range s {
		switch {
		case r.IntN(3) == 0 && c < 0x10000:
			b = fmt.Appendf(b, `\u%04X`, c)
		case r.IntN(3) == 0 && c >= 0x10000:
			b = fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+(c-0x10000)>>10, 0xdc00+(c-0x10000)&0x3ff)
		default:
			b = appendRune(b, c)
		}
	}
	return string(append(b, '"'))
}

// respell writes the same number with another exponent.
func respell(n json.Number, r *rand.Rand) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n.String()), "e")
	e, _ := strconv.Atoi(exponent)
	if !strings.Contains(mantissa, ".") {
		mantissa += "."
	}
	for range r.IntN(3) {
		mantissa += "0"
	}
	mantissa += "0"
	if r.IntN(2) == 0 { // Move the point to the end.
		whole, fraction, _ := strings.Cut(mantissa, ".")
		sign, digits := "", whole+fraction
		if strings.HasPrefix(digits, "-") {
			sign, digits = "-", digits[1:]
		}
		digits = strings.TrimLeft(digits, "0")
		if digits == "" {
			digits = "0"
		}
		mantissa, e = sign+digits, e-len(fraction)
	}
	return fmt.Sprintf("%sE%+d", mantissa, e)
}

// decodeTwin reads JSON with the standard library, and equalTwin compares numbers as
// fractions: slow, and obviously right.
func decodeTwin(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func equalTwin(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		ra, oka := new(big.Rat).SetString(a.String())
		rb, okb := new(big.Rat).SetString(b.String())
		return ok && oka && okb && ra.Cmp(rb) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equalTwin)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !equalTwin(v, w) {
				return false
			}
		}
		return true
	}
	return a == b
}

// R16: one value, one form, however it is spelt; the form is the value; and it is its
// own form.
func TestCanonicalOneFormPerValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := jsonValue(3).Draw(t, "value")
		seed := rapid.Uint64().Draw(t, "seed")
		one, two := spell(v, rand.New(rand.NewPCG(seed, 1))), spell(v, rand.New(rand.NewPCG(seed, 2)))
		a, err := Canonical(nil, []byte(one), Limits{})
		if err != nil {
			t.Fatalf("%s: %v", one, err)
		}
		b, err := Canonical(nil, []byte(two), Limits{})
		if err != nil || !bytes.Equal(a, b) {
			t.Fatalf("%s and %s are %s and %s (%v)", one, two, a, b, err)
		}
		if again, err := Canonical(nil, a, Limits{}); err != nil || !bytes.Equal(again, a) {
			t.Fatalf("%s becomes %s (%v)", a, again, err)
		}
		if back, err := decodeTwin(a); err != nil || !equalTwin(v, back) {
			t.Fatalf("%s is not the value of %s (%v)", a, one, err)
		}
	})
}

// R16: two different numbers never share a form.
func TestCanonicalNumbersKeepTheirDifference(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,2})(\.[0-9]{1,2})?(e-?[0-9])?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		ca, _ := Canonical(nil, []byte(a), Limits{})
		cb, _ := Canonical(nil, []byte(b), Limits{})
		if bytes.Equal(ca, cb) != equalTwin(json.Number(a), json.Number(b)) {
			t.Fatalf("%s and %s are %s and %s", a, b, ca, cb)
		}
	})
}

// Where numbers are doubles in their shortest spelling, cj1 is RFC 8785.
func TestCanonicalIsJCSForDoubles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "number")
		text := rapid.String().Draw(t, "text")
		src, err := json.Marshal(map[string]any{text: f, "b": []any{text, -f}, "\ufb33": 1, "😀": 2})
		if err != nil {
			t.Skip(err)
		}
		want, err := jcs.Transform(src)
		if err != nil {
			t.Skip(err)
		}
		if got, err := Canonical(nil, src, Limits{}); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s (%v), JCS says %s", got, err, want)
		}
	})
}

func TestQuoteAndUnquote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if !utf8.ValidString(text) {
			t.Skip()
		}
		quoted := Quote(nil, text)
		if again, err := Canonical(nil, quoted, Limits{}); err != nil || !bytes.Equal(again, quoted) || Unquote(quoted) != text {
			t.Fatalf("%q is quoted as %s, and back %q (%v)", text, quoted, Unquote(quoted), err)
		}
	})
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1.50,-0,"\u0041"],"a":null}`, `{"a":1,"a":2}`, `["\ud83d\ude00",1e400]`, `01`, "\"\xff\"", typicalArguments} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := Canonical(nil, src, Limits{Size: 1 << 16})
		if err != nil {
			allowed := regexp.MustCompile("duplicate key|lone surrogate|too deep|digits|beyond e|too many")
			if json.Valid(src) && utf8.Valid(src) && !allowed.MatchString(err.Error()) {
				t.Fatalf("refused %q: %v", src, err)
			}
			return
		}
		if !json.Valid(src) || !utf8.Valid(src) {
			t.Fatalf("accepted %q", src)
		}
		if again, err := Canonical(nil, got, Limits{}); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q becomes %q (%v)", got, again, err)
		}
		in, _ := decodeTwin(src)
		out, err := decodeTwin(got)
		if err != nil || len(src) < 1000 && !equalTwin(in, out) {
			t.Fatalf("%q is not the value of %q (%v)", got, src, err)
		}
	})
}
