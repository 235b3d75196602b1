package catalog

import (
	"crypto/sha256"
	"encoding/hex"
)

// Fingerprint, version fp1: "fp1:" and the lower-case hex SHA-256 of the contract
// document, which is canonical JSON (cj1, see decisions.Canonical) of
//
//	{"tools":{NAME:TOOL,…},"version":"fp1"}
//
// TOOL is {"input":SCHEMA}, or {} for a tool without inputSchema. SCHEMA is the
// input schema where, at every place that JSON Schema (2020-12 and older drafts)
// reads as a schema,
//
//   - title, description, $comment and examples are left out, and $schema at the root;
//   - required, type and enum, where they are arrays, are sets: sorted by the bytes of
//     their elements' canonical form, each element once; an empty required is left out.
//
// Everything else is contract and kept as it is, unknown keywords too. So a property
// that is *named* description is kept, as is whatever stands in const or default (R15).
//
// Places are the values in properties, patternProperties, $defs, definitions,
// dependentSchemas and dependencies; the elements of allOf, anyOf, oneOf, prefixItems
// and of items as an array; and items, additionalItems, unevaluatedItems, contains,
// additionalProperties, unevaluatedProperties, propertyNames, not, if, then, else and
// contentSchema themselves.
//
//	{"tools": [{"name": "add", "description": "Adds.", "inputSchema": {
//	  "type": "object", "required": ["b", "a"],
//	  "properties": {"a": {"type": "number", "title": "A"}, "b": {"type": "number"}}}}]}
//
// has the contract document (in one line)
//
//	{"tools":{"add":{"input":{"properties":{"a":{"type":"number"},"b":{"type":"number"}},
//	"required":["a","b"],"type":"object"}}},"version":"fp1"}
//
// Prose digest, version pd1: "pd1:" and the SHA-256 of the prose document,
//
//	{"tools":{NAME:PROSE,…},"version":"pd1"}
//
// PROSE holds what is there of the tool's annotations, description, title and
// outputSchema (its sets sorted as above, nothing left out), and as "input" what was
// left out of the input schema, at its places. The example's is
//
//	{"tools":{"add":{"description":"Adds.","input":{"properties":{"a":{"title":"A"}}}}},
//	"version":"pd1"}
const (
	fingerprintVersion = "fp1"
	proseVersion       = "pd1"
)

// ContractDocument returns the bytes that the fingerprint is taken over.
func (ts *ToolSet) ContractDocument() []byte {
	return ts.document(fingerprintVersion, func(t *Tool) []byte { return t.Contract })
}

// ProseDocument returns the bytes that the prose digest is taken over.
func (ts *ToolSet) ProseDocument() []byte {
	return ts.document(proseVersion, func(t *Tool) []byte { return t.Prose })
}

func (ts *ToolSet) document(version string, part func(*Tool) []byte) []byte {
	size := 64
	for i := range ts.Tools {
		size += len(ts.Tools[i].Name) + len(part(&ts.Tools[i])) + 8
	}
	dst := append(make([]byte, 0, size), `{"tools":{`...)
	for i := range ts.Tools {
		dst = append(quote(dst, ts.Tools[i].Name), ':')
		dst = append(append(dst, part(&ts.Tools[i])...), ',')
	}
	dst = append(closed(dst, '}'), `,"version":`...)
	return append(quote(dst, version), '}')
}

func digest(version string, document []byte) string {
	sum := sha256.Sum256(document)
	return version + ":" + hex.EncodeToString(sum[:])
}

// closed ends an array or object, whose last element left a comma behind.
func closed(dst []byte, end byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, end)
}
