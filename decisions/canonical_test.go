package decisions

import (
	"errors"
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"the doc comment's example", `{ "b": [1.50, -0, "\u0041/"], "a": null }`, `{"a":null,"b":[1.5,0,"A/"]}`},
		{"white space", " \t\r\n[ 1 , true ,\nfalse ] ", `[1,true,false]`},
		{"empty", `[{},[],""]`, `[{},[],""]`},
		{"keys by UTF-16, RFC 8785 §3.2.3",
			`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},
		{"escaped keys sort by what they mean", `{"a\"":1,"a!":2,"a#":3,"a\\":4,"a]":5}`, `{"a!":2,"a\"":1,"a#":3,"a\\":4,"a]":5}`},
		{"strings, RFC 8785 §3.2.2.2", `"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\b\f\n\r\t\u007f"`, `"€$\u000f\nA'B\"\\\\\"/\b\f\n\r\t` + "\x7f" + `"`},
		{"NFC and NFD differ", `["\u00e9","e\u0301"]`, "[\"\u00e9\",\"e\u0301\"]"},
		{"one", `[1,1.0,1e0,10e-1,0.1e1,1.000E+000]`, `[1,1,1,1,1,1]`},
		{"zero", `[0,-0,0.0,-0e5,0e999999999]`, `[0,0,0,0,0]`},
		{"exact integers", `[9007199254740993,9007199254740992,123456789012345678901]`, `[9007199254740993,9007199254740992,123456789012345678901]`},
		{"large", `[1e20,1e21,1e22,1000000000000000000000,1234567890123456789012,-1e400]`,
			`[100000000000000000000,1e+21,1e+22,1e+21,1.234567890123456789012e+21,-1e+400]`},
		{"small", `[0.000001,0.0000001,1.5e-7,123.456e-10,5e-9999]`, `[0.000001,1e-7,1.5e-7,1.23456e-8,5e-9999]`},
		{"fractions", `[3.140,-12.5e1,1e-3,333333333.33333329]`, `[3.14,-125,0.001,333333333.33333329]`},
	} {
		got, err := Canonical(nil, []byte(test.in), Limits{})
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s\n got %s (%v)\nwant %s", test.name, test.in, got, err, test.want)
		}
	}
}

// R16: ambiguous or malformed texts are refused, with the place.
func TestCanonicalRefuses(t *testing.T) {
	deep := strings.Repeat("[", 129) + strings.Repeat("]", 129)
	for _, test := range []struct {
		in, path string
		offset   int
		problem  string
	}{
		{``, "", 0, "a JSON value"},
		{` `, "", 1, "a JSON value"},
		{`{"a":1,"a":2}`, "/a", 7, "duplicate key"},
		{`{"x":[0,{"a":1,"b":0,"\u0061":1}]}`, "/x/1/a", 21, "duplicate key"},
		{`{"b":1,"":2,"b":3}`, "/b", 12, "duplicate key"},
		{`{"a/b~":{"c":tru}}`, "/a~1b~0/c", 13, "true"},
		{"{\"\u202e\":!}", `/\u202e`, 7, "a JSON value"},
		{`[1] 2`, "", 4, "more text after the value"},
		{`[1 2]`, "", 3, "',' or ']'"},
		{`[1,]`, "/1", 3, "a JSON value"},
		{`{"a":1,}`, "", 7, "a key in quotes"},
		{`{"a" 1}`, "", 5, "':'"},
		{`{"a":1 "b":2}`, "", 7, "',' or '}'"},
		{`{a:1}`, "", 1, "a key in quotes"},
		{`01`, "", 0, "leading zero"},
		{`-01`, "", 0, "leading zero"},
		{`-`, "", 1, "a digit"},
		{`+1`, "", 0, "a JSON value"},
		{`.5`, "", 0, "a JSON value"},
		{`[1.]`, "/0", 3, "a digit"},
		{`[1e]`, "/0", 3, "a digit"},
		{`[1e+]`, "/0", 4, "a digit"},
		{`0x10`, "", 1, "more text after the value"},
		{`NaN`, "", 0, "a JSON value"},
		{`tru`, "", 0, "true"},
		{`nulL`, "", 0, "null"},
		{`"a`, "", 2, "the text ends within a string"},
		{"\"a\nb\"", "", 2, "control character"},
		{`"\x"`, "", 1, "unknown escape"},
		{`"\`, "", 1, "the text ends within an escape"},
		{`"\u12g4"`, "", 1, "four hex digits"},
		{`["\ud800"]`, "/0", 2, "lone surrogate"},
		{`"\ud800\u0041"`, "", 1, "lone surrogate"},
		{`"\ud800x\udc00"`, "", 1, "lone surrogate"},
		{`"\udc00\ud800"`, "", 1, "lone surrogate"},
		{"\"\xff\"", "", 1, "invalid UTF-8"},
		{"\"\xed\xa0\x80\"", "", 1, "invalid UTF-8"},
		{"\"\xc0\xaf\"", "", 1, "invalid UTF-8"},
		{"\ufeff1", "", 0, "a JSON value"},
		{"1\x00", "", 1, "more text after the value"},
		{deep, strings.Repeat("/0", 128), 128, "nested too deep"},
		{`1e10000`, "", 0, "beyond e±9999"},
		{`1e-10000`, "", 0, "beyond e±9999"},
		{`1e99999999999999999999`, "", 22, "exponent of 20 digits"},
		{strings.Repeat("7", 1001), "", 0, "1001 significant digits"},
	} {
		_, err := Canonical(nil, []byte(test.in), Limits{})
		var serr *SyntaxError
		if !errors.As(err, &serr) || !errors.Is(err, ErrJSON) {
			t.Errorf("%.40q: %v, want a refusal", test.in, err)
			continue
		}
		if serr.Path != test.path || serr.Offset != test.offset || !strings.Contains(serr.Problem, test.problem) {
			t.Errorf("%.40q: %v, want %q at %s (byte %d)", test.in, err, test.problem, test.path, test.offset)
		}
	}
}

func TestCanonicalLimits(t *testing.T) {
	if _, err := Canonical(nil, []byte(`[1,2]`), Limits{Size: 4}); !errors.Is(err, ErrJSON) {
		t.Errorf("5 bytes pass a limit of 4: %v", err)
	}
	if _, err := Canonical(nil, []byte(`[[1]]`), Limits{Depth: 1}); !errors.Is(err, ErrJSON) {
		t.Errorf("2 levels pass a limit of 1: %v", err)
	}
	if _, err := Canonical(nil, []byte(`[[1]]`), Limits{Size: 5, Depth: 2}); err != nil {
		t.Error(err)
	}
}

func TestCanonicalPathIsBounded(t *testing.T) {
	in := strings.Repeat(`{"`+strings.Repeat("k", 100)+`":`, 100) + "!"
	_, err := Canonical(nil, []byte(in), Limits{})
	if err == nil || len(err.Error()) > 500 || !strings.Contains(err.Error(), "/…/k") {
		t.Errorf("the error is %d bytes: %.600v", len(err.Error()), err)
	}
}

func TestCanonicalAppends(t *testing.T) {
	got, err := Canonical([]byte("x="), []byte(`{"b":1,"a":2}`), Limits{})
	if err != nil || string(got) != `x={"a":2,"b":1}` {
		t.Errorf("got %s, %v", got, err)
	}
	got, rest, err := CanonicalNext(nil, []byte(" 1.0 \n {} "), Limits{})
	if err != nil || string(got) != "1" || string(rest) != "{} " {
		t.Errorf("got %s and %q, %v", got, rest, err)
	}
}
