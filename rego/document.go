package rego

import (
	"fmt"
	"slices"
	"strings"
)

// inputPath is an input path by its keys, without "input".
type inputPath []string

func (p inputPath) String() string { return strings.Join(append([]string{"input"}, p...), ".") }

// pathKey names a path and no other: a key of arguments can have a dot in it.
type pathKey string

func (p inputPath) key() pathKey { return pathKey(fmt.Sprintf("%q", []string(p))) }

// document encodes of an Input what a policy reads. The zero value reads nothing.
type document struct {
	steps []step
	tail  string
	// labels and arguments are nil where the policy reads none.
	labels, arguments *pick
	// timed documents differ from call to call.
	timed bool
}

// step is the text up to a value, and the value.
type step struct {
	literal string
	write   func([]byte, *Input) []byte
	// class takes the value's place; nil where the value stands.
	class *atoms
}

// newDocument plans the encoding of the fields that reads name, with classes in place of
// the values at the paths that have them.
func newDocument(reads []inputPath, classes map[pathKey]*atoms) document {
	var d document
	open, comma := "", ""
	literal := "{"
	for _, f := range fields() {
		if f.kind == object || !wanted(reads, f.path) {
			continue
		}
		group, leaf, nested := strings.Cut(f.path, ".")
		if !nested {
			group, leaf = "", group
		}
		if open != "" && group != open {
			literal += "}"
		}
		literal += comma
		if group != "" && group != open {
			literal += `"` + group + `":{`
		}
		d.steps = append(d.steps, step{literal + `"` + leaf + `":`, f.write, classes[inputPath(strings.Split(f.path, ".")).key()]})
		open, comma, literal = group, ",", ""
		d.timed = d.timed || f.path == timePath
	}
	if len(d.steps) == 0 {
		d.tail = "{"
	} else if open != "" {
		d.tail = "}"
	}
	d.labels = picked(reads, labelsPath, classes)
	d.arguments = picked(reads, argumentsPath, classes)
	return d
}

// wanted says whether a read names a field, or the object around it.
func wanted(reads []inputPath, dotted string) bool {
	keys := inputPath(strings.Split(dotted, "."))
	return slices.ContainsFunc(reads, func(r inputPath) bool {
		return len(r) <= len(keys) && slices.Equal(r, keys[:len(r)])
	})
}

// append writes the document. It fails only where the arguments are no JSON object.
func (d *document) append(b []byte, in *Input) ([]byte, error) {
	for i := range d.steps {
		b = append(b, d.steps[i].literal...)
		from := len(b)
		if b = d.steps[i].write(b, in); d.steps[i].class != nil {
			b = d.steps[i].class.replace(b, from)
		}
	}
	b = append(b, d.tail...)
	if d.labels != nil {
		b = d.labels.appendLabels(member(b, labelsPath), in.Labels)
	}
	if d.arguments != nil && in.Arguments != nil {
		var err error
		if b, err = d.arguments.appendObject(member(b, argumentsPath), in.Arguments); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// member begins a member of an object.
func member(b []byte, key string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(appendText(b, key), ':')
}
