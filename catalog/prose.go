package catalog

// projection says which side of a schema is wanted. The package comment
// says what belongs to which.
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
	return append(contractOnly.appendSchema(dst, input), '}')
}

// proseOf returns what the prose digest covers of a tool.
func proseOf(tool []byte) []byte {
	dst := append(make([]byte, 0, len(tool)/2+64), '{')
	for key, value := range members(tool) {
		switch string(key) {
		case `"inputSchema"`:
			if prose := proseOnly.appendSchema(nil, value); len(prose) > 0 {
				dst = append(append(dst, `"input":`...), prose...)
				dst = append(dst, ',')
			}
		case `"outputSchema"`:
			dst = both.appendSchema(append(dst, `"outputSchema":`...), value)
			dst = append(dst, ',')
		case `"annotations"`, `"description"`, `"title"`:
			dst = append(append(dst, key...), ':')
			dst = append(append(dst, value...), ',')
		}
	}
	return closed(dst, '}')
}

// appendSchema appends one side of a root schema; nothing where that is prose, and
// there is none.
func (p projection) appendSchema(dst, schema []byte) []byte {
	r := projector{side: p, src: schema, dst: dst}
	r.schema(true)
	return r.dst
}
