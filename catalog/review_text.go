package catalog

import (
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// yamlText writes a text as YAML on one line, within braces or without.
func yamlText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	plain := s != "" && !strings.HasSuffix(s, " ") && !keyword(s)
	for i, r := range s {
		letter := unicode.IsLetter(r) || r == '_'
		if !letter && (i == 0 || !unicode.IsDigit(r) && !strings.ContainsRune(" ./()'-", r)) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return strconv.Quote(s)
}

// keyword reports a word that YAML, of one version or another, reads as something else
// than text.
func keyword(s string) bool {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return false
}

// yamlFlow writes a value on one line.
func yamlFlow(n *yaml.Node) string {
	var parts []string
	switch {
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, yamlFlow(n.Content[i])+": "+yamlFlow(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case n.Kind == yaml.SequenceNode:
		for _, element := range n.Content {
			parts = append(parts, yamlFlow(element))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case n.ShortTag() == "!!str":
		return yamlText(n.Value)
	default:
		return n.Value
	}
}

// yamlList writes texts as a list on one line.
func yamlList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.Quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
