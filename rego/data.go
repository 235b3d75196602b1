package rego

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// dataLines says where a value of the data stands: by its dotted path.
type dataLines map[string]Finding

// at makes a finding at a place in the data.
func (l dataLines) at(dotted, format string, args ...any) Finding {
	f := l[dotted]
	f.Message = fmt.Sprintf(format, args...)
	return f
}

// parseData merges a data file in, rooted at its directory as in an OPA bundle.
func (s *source) parseData(f File) findings {
	if base := path.Base(f.Path); base != "data.json" && base != "data.yaml" {
		return findings{{File: f.Path, Message: "is not read as data; name it data.yaml or data.json"}}
	}
	value, err := decodeData(f)
	if err == nil {
		err = s.merge(path.Dir(f.Path), value)
	}
	if err != nil {
		return findings{{File: f.Path, Message: err.Error()}}
	}
	s.locate(f)
	return nil
}

// merge puts a file's values below its directory's place in the data.
func (s *source) merge(dir string, value map[string]any) error {
	at := s.data
	for key := range strings.SplitSeq(dir, "/") {
		if dir == "." {
			break
		}
		if at[key] == nil {
			at[key] = map[string]any{}
		}
		below, isObject := at[key].(map[string]any)
		if !isObject {
			return fmt.Errorf("%q of %s has a value already; expected none beside the directory", key, dir)
		}
		at = below
	}
	for key, v := range value {
		if _, taken := at[key]; taken {
			return fmt.Errorf("%q has a value already; write it once", key)
		}
		at[key] = v
	}
	return nil
}

// decodeData reads one object, with numbers as they stand.
func decodeData(f File) (map[string]any, error) {
	content := f.Content
	if path.Ext(f.Path) != ".json" {
		var plain map[string]any
		if err := oneYAML(content, &plain); err != nil {
			return nil, err
		}
		var err error
		if content, err = json.Marshal(plain); err != nil {
			return nil, fmt.Errorf("has no JSON form: %w", err)
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("expected one object: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object; expected the end")
	}
	return value, nil
}

// oneYAML reads a file that holds one document.
func oneYAML(content []byte, to any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(to); err != nil {
		return fmt.Errorf("expected one object: %w", err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("holds a second document; expected one")
	}
	return nil
}

// locate notes the lines of a file's values. JSON is read as YAML, which it nearly
// always is; where it is not, findings name the file alone.
func (s *source) locate(f File) {
	var root yaml.Node
	if yaml.Unmarshal(f.Content, &root) != nil || len(root.Content) != 1 {
		return
	}
	dotted := strings.ReplaceAll(strings.TrimPrefix(path.Dir(f.Path), "."), "/", ".")
	s.lines.walk(f.Path, dotted, root.Content[0])
}

func (l dataLines) walk(file, dotted string, n *yaml.Node) {
	l[dotted] = Finding{File: file, Line: n.Line}
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			l.walk(file, fmt.Sprintf("%s.%d", dotted, i), child)
		case n.Kind == yaml.MappingNode && i%2 == 1:
			l.walk(file, strings.TrimPrefix(dotted+"."+n.Content[i-1].Value, "."), child)
		}
	}
}
