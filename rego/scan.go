package rego

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// appendText appends s as a JSON string.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return appendEscaped(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// appendEscaped leaves to encoding/json what is not plain ASCII.
func appendEscaped(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // A string always has a JSON form.
	}
	return append(b, quoted...)
}

// scanner walks over the members of one JSON object and hands out their lexemes. It
// finds where values end, and leaves to the JSON decoder whether they are valid:
// what it hands out has its brackets balanced, so it can't leave its place in the
// document.
type scanner struct {
	text []byte
	at   int
	// The current member: key decoded, key and value as they stand.
	key, rawKey, value []byte
	// from is where the value begins.
	from int
	err  error
}

// next moves to the next member.
func (s *scanner) next() bool {
	if s.err != nil {
		return false
	}
	s.space()
	if s.rawKey == nil {
		if !s.take('{') {
			return s.fail("'{'")
		}
		if s.space(); s.take('}') {
			return s.end()
		}
	} else if s.take('}') {
		return s.end()
	} else if !s.take(',') {
		return s.fail("',' or '}'")
	}
	return s.member()
}

func (s *scanner) member() bool {
	s.space()
	if s.rawKey = s.quoted(); s.rawKey == nil {
		return s.fail("a key")
	}
	if s.space(); !s.take(':') {
		return s.fail("':'")
	}
	s.space()
	s.from = s.at
	if s.value = s.lexeme(); len(s.value) == 0 {
		return s.fail("a value")
	}
	s.key = s.rawKey[1 : len(s.rawKey)-1]
	if bytes.IndexByte(s.key, '\\') >= 0 {
		var key string
		if err := json.Unmarshal(s.rawKey, &key); err != nil {
			return s.fail("a valid key")
		}
		s.key = []byte(key)
	}
	s.space()
	return true
}

// end is after the object: nothing may follow.
func (s *scanner) end() bool {
	if s.space(); s.at < len(s.text) {
		return s.fail("the end")
	}
	return false
}

// eachPart visits the members of a JSON object, or the elements of a list by their
// number: where in the text each value stands.
func eachPart(text []byte, visit func(token string, from, to int)) error {
	s := scanner{text: text}
	if len(text) > 0 && text[0] == '[' {
		return s.elements(visit)
	}
	for s.next() {
		visit(string(s.key), s.from, s.from+len(s.value))
	}
	return s.err
}

func (s *scanner) elements(visit func(token string, from, to int)) error {
	s.take('[')
	s.space()
	for n := 0; !s.take(']'); n++ {
		if n > 0 && !s.take(',') {
			s.fail("',' or ']'")
			return s.err
		}
		s.space()
		from := s.at
		value := s.lexeme()
		if len(value) == 0 {
			s.fail("a value")
			return s.err
		}
		visit(strconv.Itoa(n), from, from+len(value))
		s.space()
	}
	s.end()
	return s.err
}

func (s *scanner) fail(expected string) bool {
	s.err = fmt.Errorf("arguments are not a JSON object: byte %d: expected %s", s.at, expected)
	return false
}

func (s *scanner) space() {
	for s.at < len(s.text) && bytes.IndexByte([]byte(" \t\r\n"), s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *scanner) take(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// quoted takes a string with its quotes; nil where there is none.
func (s *scanner) quoted() []byte {
	start := s.at
	if !s.take('"') {
		return nil
	}
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return s.text[start:s.at]
		}
	}
	return nil
}

// lexeme takes one value; nothing where it does not end.
func (s *scanner) lexeme() []byte {
	start, depth := s.at, 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case '"':
			if s.quoted() == nil {
				return nil
			}
			if depth == 0 {
				return s.text[start:s.at]
			}
			continue
		case '{', '[':
			depth++
		case '}', ']', ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return s.text[start:s.at]
			}
			if c == '}' || c == ']' {
				if depth--; depth == 0 {
					s.at++
					return s.text[start:s.at]
				}
			}
		}
		s.at++
	}
	return nil
}
