package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/writ-dev/writ/decisions"
)

// schemaURL is where a pinned schema pretends to live. Nothing is ever fetched.
const schemaURL = "https://pinned.invalid/input"

// compile makes the checks of every tool of a list, once for a list. A schema that
// can't be used is a warning: the catalogue holds, and the tool takes nothing (R18).
func (l *loader) compile(file string, list *list) {
	if list.tools != nil {
		return
	}
	list.tools = make(map[string]*PinnedTool, len(list.Tools))
	for i := range list.Tools {
		tool := &list.Tools[i]
		a := compileArguments(tool.Input)
		list.tools[tool.Name] = &PinnedTool{Name: tool.Name, arguments: a}
		if a.unusable != nil {
			l.add(Finding{Severity: Warning, File: file, Code: codeSchema,
				Message: fmt.Sprintf("%s: every call will be refused: %v", quoted(tool.Name), a.unusable),
				Fix:     "ask the server's author for a schema that can be checked"})
		}
	}
}

// compileArguments compiles one input schema. A tool that sends none says nothing
// about its arguments, so any object fits.
func compileArguments(input []byte) *arguments {
	if len(input) == 0 {
		input = []byte("true")
	}
	schema, err := compileSchema(input)
	if err != nil {
		return &arguments{unusable: fmt.Errorf("the pinned input schema can't be used: %w", err)}
	}
	if plain := newPlain(schema); plain != nil {
		return &arguments{plain: plain, schema: sync.OnceValue(func() *jsonschema.Schema { return again(input) })}
	}
	return &arguments{schema: func() *jsonschema.Schema { return schema }}
}

// again compiles what compiled before. Nothing could make it fail; if something did,
// a schema that refuses everything is what is left.
func again(input []byte) *jsonschema.Schema {
	schema, err := compileSchema(input)
	if err != nil {
		nothing := false
		return &jsonschema.Schema{Bool: &nothing}
	}
	return schema
}

func compileSchema(input []byte) (*jsonschema.Schema, error) {
	// Numbers come out bounded, so that nothing expands 1e999999999 to compare it.
	canonical, err := decisions.Canonical(nil, input, decisions.Limits{})
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		return nil, err
	}
	var patterns patterns
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(patterns.compile)
	for _, name := range formats() {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	if err = c.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	schema, err := c.Compile(schemaURL)
	if err != nil {
		return nil, schemaError(err)
	}
	patterns.compiled = true
	if err = static(schema, map[*jsonschema.Schema]bool{}); err != nil {
		return nil, err
	}
	return schema, patterns.err
}

// schemaError says what is wrong with a schema in one bounded line: the library's
// own repeats what the server wrote.
func schemaError(err error) error {
	const most = 200
	var meta *jsonschema.SchemaValidationError
	var invalid *jsonschema.ValidationError
	var unloaded *jsonschema.LoadURLError
	switch {
	case errors.As(err, &meta) && errors.As(meta.Err, &invalid):
		return fmt.Errorf("it is not a valid JSON Schema at %w", misfit(invalid, nil))
	case errors.As(err, &unloaded):
		err = unloaded.Err
	}
	clean, _ := Clean(err.Error(), most)
	return errors.New(clean)
}

// noLoader refuses to fetch what a schema refers to (R16).
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("references outside of the schema are not followed (%s)", clip(url))
}

// patterns compiles regular expressions with RE2, which can't run away. It notes
// the first that RE2 does not have instead of failing, because the library asks the
// same engine about strings of format "regex", which are not asserted.
type patterns struct {
	err error
	// compiled: the schema is in use, by many at once, and nothing is noted any more.
	compiled bool
}

func (p *patterns) compile(pattern string) (jsonschema.Regexp, error) {
	re, err := newPattern(pattern)
	if err == nil {
		return re, nil
	}
	if !p.compiled && p.err == nil {
		p.err = fmt.Errorf("the pattern %q is not one that RE2 has", clip(pattern))
	}
	return regexp.MustCompile(`$.`), nil
}

// formats are the ones that the library would assert for draft-07 and before. A
// format is an annotation: servers disagree about what each means.
func formats() []string {
	return []string{
		"json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6",
		"hostname", "email", "idn-email", "idn-hostname", "date", "time", "date-time", "uri", "uri-reference",
		"iri", "iri-reference", "uri-template", "semver",
	}
}
