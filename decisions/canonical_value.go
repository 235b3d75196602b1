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
	r := ReadCanonical(canonical)
	return r.object(), nil
}

// Reader takes values off a canonical text, from left to right. Canonical has refused
// everything else, so there is nothing here to go wrong: it must be given nothing else.
type Reader struct{ rest []byte }

// ReadCanonical reads what Canonical returned.
func ReadCanonical(text []byte) Reader { return Reader{text} }

func (r *Reader) value() any {
	switch r.Peek() {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return Unquote(r.Text())
	}
	switch text := r.Scalar(); text[0] {
	case 't':
		return true
	case 'f':
		return false
	case 'n':
		return nil
	default:
		return json.Number(text)
	}
}

func (r *Reader) object() map[string]any {
	object := map[string]any{}
	for r.Next('}') {
		key := Unquote(r.Key())
		object[key] = r.value()
	}
	return object
}

func (r *Reader) array() []any {
	array := []any{}
	for r.Next(']') {
		array = append(array, r.value())
	}
	return array
}

// Peek returns the first byte of the value that follows, which tells its type.
func (r *Reader) Peek() byte { return r.rest[0] }

// Scalar takes a number, true, false or null.
func (r *Reader) Scalar() []byte {
	end := bytes.IndexAny(r.rest, ",]}")
	if end < 0 {
		end = len(r.rest)
	}
	text := r.rest[:end]
	r.rest = r.rest[end:]
	return text
}

// Next takes the opening bracket or a comma, and says whether a member follows before
// the end, which is ']' or '}'.
func (r *Reader) Next(end byte) bool {
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

// Key takes a member's key, quotes included, and the colon.
func (r *Reader) Key() []byte {
	key := r.Text()
	r.rest = r.rest[1:]
	return key
}

// Text takes a string, quotes included.
func (r *Reader) Text() []byte {
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
