package decisions

import (
	"bytes"
	"encoding/json"
)

// Object returns the arguments as values: map[string]any, []any, string, json.Number,
// bool and nil. They are read off the canonical form, so that a call is parsed
// strictly once. It is empty where no JSON was sent. Errors are those of Canonical.
func (a *Arguments) Object() (map[string]any, error) {
	canonical, err := a.Canonical()
	if err != nil {
		return nil, err
	}
	if canonical == nil {
		return map[string]any{}, nil
	}
	r := reader{canonical}
	return r.object(), nil
}

// reader takes values off a canonical text. Canonical has refused everything else,
// so there is nothing here to go wrong.
type reader struct{ rest []byte }

func (r *reader) value() any {
	switch r.rest[0] {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return Unquote(r.text())
	case 't':
		r.rest = r.rest[len("true"):]
		return true
	case 'f':
		r.rest = r.rest[len("false"):]
		return false
	case 'n':
		r.rest = r.rest[len("null"):]
		return nil
	}
	end := bytes.IndexAny(r.rest, ",]}")
	if end < 0 {
		end = len(r.rest)
	}
	number := json.Number(r.rest[:end])
	r.rest = r.rest[end:]
	return number
}

func (r *reader) object() map[string]any {
	object := map[string]any{}
	for r.next('}') {
		key := Unquote(r.text())
		r.rest = r.rest[1:] // the colon
		object[key] = r.value()
	}
	return object
}

func (r *reader) array() []any {
	array := []any{}
	for r.next(']') {
		array = append(array, r.value())
	}
	return array
}

// next takes the opening bracket or a comma, and says whether a member follows.
func (r *reader) next(end byte) bool {
	separator := r.rest[0]
	r.rest = r.rest[1:]
	if separator == end {
		return false
	}
	if r.rest[0] == end { // empty
		r.rest = r.rest[1:]
		return false
	}
	return true
}

// text takes a string, quotes included.
func (r *reader) text() []byte {
	end := 1
	for r.rest[end] != '"' {
		if r.rest[end] == '\\' {
			end++
		}
		end++
	}
	text := r.rest[:end+1]
	r.rest = r.rest[end+1:]
	return text
}
