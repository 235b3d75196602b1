// Package catalog says which tools exist and whether they are still the reviewed ones:
// tool lists with their fingerprints and differences, reviews, releases, and the traits
// that follow from them. It reads files that it is given and calls no server.
//
// # Fingerprint
//
// Version fp1 is "fp1:" and the lower-case hex SHA-256 of the contract
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
// # Prose digest
//
// Version pd1 is "pd1:" and the SHA-256 of the prose document,
//
//	{"tools":{NAME:PROSE,…},"version":"pd1"}
//
// PROSE holds what is there of the tool's annotations, description, title and
// outputSchema (its sets sorted as above, nothing left out), and as "input" what was
// left out of the input schema, at its places. The example's is
//
//	{"tools":{"add":{"description":"Adds.","input":{"properties":{"a":{"title":"A"}}}}},
//	"version":"pd1"}
package catalog
