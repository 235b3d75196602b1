package catalog

import (
	"bytes"
	"slices"
)

// projection says which side of a schema is wanted. See fingerprintVersion for what
// belongs to which.
type projection uint8

const (
	contractOnly projection = iota
	proseOnly
	both
)

// role says what JSON Schema reads the value of a keyword as.
type role uint8

const (
	keptAsItIs role = iota
	proseText
	oneSchema
	schemaMap
	schemaList
	schemaOrList
	set
)

// roleOf takes a keyword in its quotes. Unknown keywords are kept as they are.
func roleOf(keyword []byte, root bool) role {
	switch string(keyword) {
	case `"title"`, `"description"`, `"$comment"`, `"examples"`:
		return proseText
	case `"$schema"`:
		if root {
			return proseText
		}
	case `"required"`, `"type"`, `"enum"`:
		return set
	case `"properties"`, `"patternProperties"`, `"$defs"`, `"definitions"`, `"dependentSchemas"`, `"dependencies"`:
		return schemaMap
	case `"allOf"`, `"anyOf"`, `"oneOf"`, `"prefixItems"`:
		return schemaList
	case `"items"`:
		return schemaOrList
	case `"additionalItems"`, `"unevaluatedItems"`, `"contains"`, `"additionalProperties"`, `"unevaluatedProperties"`,
		`"propertyNames"`, `"not"`, `"if"`, `"then"`, `"else"`, `"contentSchema"`:
		return oneSchema
	}
	return keptAsItIs
}

// contractOf returns what the fingerprint covers of a tool with this input schema.
func contractOf(input []byte) []byte {
	if input == nil {
		return []byte("{}")
	}
	dst := append(make([]byte, 0, len(input)+16), `{"input":`...)
	return append(contractOnly.schema(dst, input, true), '}')
}

// proseOf returns what the prose digest covers of a tool.
func proseOf(tool []byte) []byte {
	dst := append(make([]byte, 0, len(tool)/2+64), '{')
	for _, key := range []string{"annotations", "description", "inputSchema", "outputSchema", "title"} {
		value := lookup(tool, key)
		if value == nil {
			continue
		}
		before := len(dst)
		switch key {
		case "inputSchema":
			dst = append(dst, `"input":`...)
			if dst = proseOnly.schema(dst, value, true); dst[len(dst)-1] == ':' {
				dst = dst[:before]
				continue
			}
		case "outputSchema":
			dst = both.schema(append(dst, `"outputSchema":`...), value, true)
		default:
			dst = append(append(quote(dst, key), ':'), value...)
		}
		dst = append(dst, ',')
	}
	return closed(dst, '}')
}

// schema appends one side of a schema; nothing where that side is prose and empty.
func (p projection) schema(dst, schema []byte, root bool) []byte {
	if schema[0] != '{' {
		return p.kept(dst, schema)
	}
	return p.object(dst, schema, func(dst, keyword, value []byte) []byte {
		switch at := roleOf(keyword, root); {
		case at == proseText && p == contractOnly:
			return dst
		case at == proseText:
			return append(dst, value...)
		case at == oneSchema, at == schemaOrList && value[0] != '[':
			return p.schema(dst, value, false)
		case at == schemaMap && value[0] == '{':
			return p.object(dst, value, func(dst, _, value []byte) []byte { return p.schema(dst, value, false) })
		case (at == schemaList || at == schemaOrList) && value[0] == '[':
			return p.list(dst, value)
		case at == set && value[0] == '[' && p != proseOnly:
			return appendSet(dst, value, string(keyword) == `"required"`)
		}
		return p.kept(dst, value)
	})
}

// kept appends what only the contract has.
func (p projection) kept(dst, value []byte) []byte {
	if p == proseOnly {
		return dst
	}
	return append(dst, value...)
}

// object appends an object of those members for whose value something is written.
func (p projection) object(dst, object []byte, value func(dst, key, value []byte) []byte) []byte {
	start := len(dst)
	dst = append(dst, '{')
	for k, v := range members(object) {
		before := len(dst)
		dst = append(append(dst, k...), ':')
		begin := len(dst)
		if dst = value(dst, k, v); len(dst) == begin {
			dst = dst[:before]
			continue
		}
		dst = append(dst, ',')
	}
	if p == proseOnly && len(dst) == start+1 {
		return dst[:start]
	}
	return closed(dst, '}')
}

// list appends an array of schemas. One without prose keeps its place among those
// with it as {}.
func (p projection) list(dst, list []byte) []byte {
	start, silent := len(dst), p == proseOnly
	dst = append(dst, '[')
	for v := range elements(list) {
		before := len(dst)
		if dst = p.schema(dst, v, false); len(dst) == before {
			dst = append(dst, "{}"...)
		} else {
			silent = false
		}
		dst = append(dst, ',')
	}
	if silent {
		return dst[:start]
	}
	return closed(dst, ']')
}

// appendSet appends the elements of an array sorted, each once.
func appendSet(dst, array []byte, dropEmpty bool) []byte {
	set := slices.SortedFunc(elements(array), bytes.Compare)
	set = slices.CompactFunc(set, bytes.Equal)
	if len(set) == 0 && dropEmpty {
		return dst
	}
	dst = append(dst, '[')
	dst = append(dst, bytes.Join(set, []byte{','})...)
	return append(dst, ']')
}
