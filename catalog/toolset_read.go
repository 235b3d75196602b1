package catalog

import (
	"errors"
	"fmt"

	"github.com/writ-dev/writ/decisions"
)

// reader collects the tools of several pages.
type reader struct {
	tools []Tool
	pages int
	// room is how many bytes may still come.
	room int
	// more: the last page names a next one.
	more bool
}

// page reads one input, which may hold several JSON values.
func (r *reader) page(src []byte) error {
	if r.room -= len(src); r.room < 0 {
		return fmt.Errorf("the list is over %d bytes", MaxToolSetBytes)
	}
	canonical := make([]byte, 0, len(src)+64)
	for first := true; first || len(src) > 0; first = false {
		next, rest, err := decisions.CanonicalNext(canonical, src, decisions.Limits{})
		if err != nil {
			return err
		}
		if err := r.value(next[len(canonical):]); err != nil {
			return err
		}
		canonical, src = next, rest
	}
	return nil
}

// value reads one page, or an array of tools or of pages, in canonical form.
func (r *reader) value(v []byte) error {
	switch v[0] {
	case '[':
		return r.array(v)
	case '{':
		return r.object(v)
	}
	return errors.New("neither an object nor an array: give the answer to tools/list")
}

func (r *reader) array(v []byte) error {
	r.pages, r.more = r.pages+1, false
	for element := range elements(v) {
		if element[0] == '{' && isPage(element) {
			if err := r.object(element); err != nil {
				return err
			}
			continue
		}
		if err := r.tool(element); err != nil {
			return err
		}
	}
	return nil
}

// isPage tells a page from a tool: no tool goes without a name.
func isPage(object []byte) bool {
	return lookup(object, "name") == nil &&
		(lookup(object, "tools") != nil || lookup(object, "result") != nil || lookup(object, "error") != nil)
}

// object reads a tools/list result, or the JSON-RPC response around one.
func (r *reader) object(v []byte) error {
	result, failure, tools := lookup(v, "result"), lookup(v, "error"), lookup(v, "tools")
	switch {
	case failure != nil && result == nil && tools == nil:
		return fmt.Errorf("the server answered with an error: %s", clipped(failure))
	case failure != nil || result != nil && tools != nil:
		return errors.New("more than one of result, error and tools: it is unclear which is meant")
	case result != nil && result[0] == '{':
		return r.object(result)
	case tools == nil || tools[0] != '[':
		return errors.New(`no "tools" array: give the answer to tools/list`)
	}
	for tool := range elements(tools) {
		if err := r.tool(tool); err != nil {
			return err
		}
	}
	cursor := lookup(v, "nextCursor")
	r.pages, r.more = r.pages+1, cursor != nil && string(cursor) != "null"
	return nil
}

// tool reads one tool.
func (r *reader) tool(v []byte) error {
	if len(r.tools) == MaxTools {
		return fmt.Errorf("more than %d tools", MaxTools)
	}
	t, err := newTool(v)
	if err != nil {
		return fmt.Errorf("tool %d of the list, %s: %w", len(r.tools)+1, quoted(t.Name), err)
	}
	r.tools = append(r.tools, t)
	return nil
}

// newTool reads a tool in canonical form.
func newTool(v []byte) (t Tool, err error) {
	if v[0] != '{' {
		return t, errors.New("a tool is an object")
	}
	if t.Name, err = text(v, "name"); err != nil {
		return t, err
	}
	if t.Name == "" {
		return t, errors.New("a tool needs a name")
	}
	if t.Title, err = text(v, "title"); err != nil {
		return t, err
	}
	if t.Description, err = text(v, "description"); err != nil {
		return t, err
	}
	if err = t.annotations(lookup(v, "annotations")); err != nil {
		return t, err
	}
	t.Input = lookup(v, "inputSchema")
	t.Contract = contractOf(t.Input)
	t.Prose = proseOf(v)
	return t, referencesHold(t.Contract)
}

// annotations reads the hints. MCP spells them in one way only; a value that is
// neither true nor false is refused, but for null, which many servers send for
// "unsaid".
func (t *Tool) annotations(v []byte) (err error) {
	if v == nil || string(v) == "null" {
		return nil
	}
	if v[0] != '{' {
		return errors.New("annotations is no object")
	}
	if t.Title == "" {
		if t.Title, err = text(v, "title"); err != nil {
			return fmt.Errorf("annotations: %w", err)
		}
	}
	for _, hint := range hintsOf(&t.Hints) {
		switch value := lookup(v, hint.name); string(value) {
		case "", "null":
		case "true":
			*hint.value = decisions.SaidTrue
		case "false":
			*hint.value = decisions.SaidFalse
		default:
			return fmt.Errorf("annotations: %s is %s: it must be true or false", hint.name, clipped(value))
		}
	}
	return nil
}

// namedHint is a hint beside MCP's name for it.
type namedHint struct {
	name  string
	value *decisions.Hint
}

func hintsOf(h *decisions.Hints) [4]namedHint {
	return [4]namedHint{
		{"destructiveHint", &h.Destructive},
		{"readOnlyHint", &h.ReadOnly},
		{"openWorldHint", &h.OpenWorld},
		{"idempotentHint", &h.Idempotent},
	}
}

// text returns a string member; "" where it is absent or null.
func text(object []byte, key string) (string, error) {
	v := lookup(object, key)
	switch {
	case v == nil || string(v) == "null":
		return "", nil
	case v[0] != '"':
		return "", fmt.Errorf("%s is %s: it must be a string", key, clipped(v))
	}
	return decisions.Unquote(v), nil
}
