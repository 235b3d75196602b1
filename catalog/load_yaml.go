package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// decoder reads one YAML file strictly: what it does not know is a finding with
// its place, never a guess.
type decoder struct {
	*findings
	file string
	now  time.Time
}

// field reads the value of one key.
type field func(value *yaml.Node)

// report adds a finding at a node.
func (d *decoder) report(at *yaml.Node, code, message, fix string) {
	d.add(Finding{File: d.file, Line: at.Line, Column: at.Column, Code: code, Message: message, Fix: fix})
}

// document parses the one document of a file, or reports why there is none.
func (d *decoder) document(data []byte) *yaml.Node {
	decode := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := decode.Decode(&doc); {
	case errors.Is(err, io.EOF):
		d.add(Finding{File: d.file, Code: codeSyntax, Message: "the file is empty", Fix: "write the document or remove the file"})
		return nil
	case err != nil:
		d.syntax(err)
		return nil
	}
	if err := decode.Decode(&second); err == nil {
		d.report(&second, codeSyntax, "a second document follows", `remove the "---" or put the document in a file of its own`)
		return nil
	} else if !errors.Is(err, io.EOF) {
		d.syntax(err)
		return nil
	}
	if !d.plain(&doc) {
		return nil
	}
	return doc.Content[0]
}

// syntax reports a parser's error at the line that it names.
func (d *decoder) syntax(err error) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = strings.TrimPrefix(message, m[0])
	}
	d.add(Finding{File: d.file, Line: line, Column: min(line, 1), Code: codeSyntax,
		Message: "not YAML: " + message, Fix: "correct the syntax"})
}

// plain refuses anchors, aliases and tags of the file's own: a reader must see
// what a tool's traits are where they stand.
func (d *decoder) plain(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		d.report(n, codeAlias, "anchors and aliases are not allowed", "write the value out")
		return false
	}
	if tag := n.ShortTag(); n.Style&yaml.TaggedStyle != 0 {
		d.report(n, codeWrongType, fmt.Sprintf("the tag %q is not allowed", clip(tag)), "remove the tag")
		return false
	}
	ok := true
	for _, child := range n.Content {
		ok = d.plain(child) && ok
	}
	return ok
}

// object reads a mapping by its fields and returns the keys that hold a value; nil
// where there is no mapping.
func (d *decoder) object(n *yaml.Node, what string, fields map[string]field) map[string]bool {
	var stated map[string]bool
	if n.Kind == yaml.MappingNode {
		stated = map[string]bool{}
	}
	d.entries(n, what, func(key, value *yaml.Node) {
		read, known := fields[key.Value]
		if !known {
			d.report(key, codeUnknownField, fmt.Sprintf("%s has no field %q", what, clip(key.Value)),
				suggest(key.Value, sortedKeys(fields)))
			return
		}
		if !isNull(value) {
			stated[key.Value] = true
			read(value)
		}
	})
	return stated
}

// entries visits each key of a mapping once, in order.
func (d *decoder) entries(n *yaml.Node, what string, visit func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.report(n, codeWrongType, what+" is "+kindWords(n), "write it as keys and values")
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			d.report(key, codeWrongType, "a key is "+kindWords(key), "write a name")
			continue
		}
		if line, twice := seen[key.Value]; twice {
			d.report(key, codeDuplicateKey, fmt.Sprintf("%q was already stated in line %d", clip(key.Value), line), "keep one of them")
			continue
		}
		seen[key.Value] = key.Line
		visit(key, value)
	}
}

// require reports the keys of a mapping that hold no value.
func (d *decoder) require(at *yaml.Node, what string, stated map[string]bool, keys ...string) {
	if stated == nil {
		return
	}
	for _, key := range keys {
		if !stated[key] {
			d.report(at, codeMissing, fmt.Sprintf("%s does not say its %s", what, key), fmt.Sprintf("add %q", key+":"))
		}
	}
}

// member returns the value of a mapping's key, or nil.
func member(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

func kindWords(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "a single value"
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
