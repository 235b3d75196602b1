package rego

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
)

// errDocument says that a document is no JSON object.
var errDocument = errors.New("the document is not valid JSON; expected an object, with arguments as they were sent")

// vocabulary holds terms of texts that documents use often: the document's keys and the
// words of its fields. Evaluations share them, and nothing changes a term. The zero value
// is empty.
type vocabulary map[string]*ast.Term

// newVocabulary knows the fields, the policy's stages, and the arguments that it names.
func newVocabulary(stages []string, reads []inputPath) vocabulary {
	v := vocabulary{}
	for _, f := range fields() {
		reads = append(reads, strings.Split(f.path, "."))
		v.add(f.words...)
	}
	for _, r := range reads {
		v.add(r...)
	}
	v.add(stages...)
	return v
}

func (v vocabulary) add(words ...string) {
	for _, w := range words {
		if v[w] == nil {
			v[w] = ast.StringTerm(w)
		}
	}
}

// object is the document as OPA takes it: what ast.ValueFromReader makes of it, without
// the decoder's own values in between. Errors: errDocument.
func (v vocabulary) object(document []byte) (ast.Object, error) {
	if !json.Valid(document) {
		return nil, errDocument
	}
	r := reader{scanner{text: document}, v}
	if r.space(); r.text[r.at] != '{' {
		return nil, errDocument
	}
	return r.object(), nil
}

// reader turns a valid JSON text into terms.
type reader struct {
	scanner
	words vocabulary
}

func (r *reader) value() *ast.Term {
	r.space()
	switch r.text[r.at] {
	case '{':
		return ast.NewTerm(r.object())
	case '[':
		return r.array()
	case '"':
		return r.string()
	}
	switch lexeme := r.lexeme(); lexeme[0] {
	case 't':
		return ast.InternedTerm(true)
	case 'f':
		return ast.InternedTerm(false)
	case 'n':
		return ast.NullTerm()
	default:
		return ast.NumberTerm(json.Number(lexeme))
	}
}

// object keeps the last of equal keys, as a decoder does.
func (r *reader) object() ast.Object {
	o := ast.NewObjectWithCapacity(8)
	for r.more('{', '}') {
		key := r.string()
		r.space()
		r.take(':')
		o.Insert(key, r.value())
	}
	return o
}

func (r *reader) array() *ast.Term {
	var items []*ast.Term
	for r.more('[', ']') {
		items = append(items, r.value())
	}
	return ast.ArrayTerm(items...)
}

// more moves to the next member or item, past what stands before it.
func (r *reader) more(opening, closing byte) bool {
	r.space()
	if !r.take(opening) {
		r.take(',')
	}
	r.space()
	return !r.take(closing)
}

func (r *reader) string() *ast.Term {
	quoted := r.quoted()
	text := quoted[1 : len(quoted)-1]
	if known := r.words[string(text)]; known != nil {
		return known
	}
	if bytes.ContainsFunc(text, func(c rune) bool { return c == '\\' || c >= utf8.RuneSelf }) {
		var decoded string
		if err := json.Unmarshal(quoted, &decoded); err != nil {
			panic(err) // The document is valid.
		}
		return ast.StringTerm(decoded)
	}
	return ast.StringTerm(string(text))
}
