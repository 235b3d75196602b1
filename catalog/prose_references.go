package catalog

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/writ-dev/writ/decisions"
)

// referencesHold refuses a $ref into what the contract leaves out or reorders: what it
// means could change while the fingerprint stays (R16).
func referencesHold(value []byte) error {
	if !bytes.Contains(value, []byte(`ef":"`)) {
		return nil
	}
	for k, v := range members(value) {
		if isReference(k) && v[0] == '"' {
			if ref := decisions.Unquote(v); pointsIntoProse(ref) {
				return fmt.Errorf("%s %s points into what is not part of the contract: move its target to $defs",
					k[1:len(k)-1], quoted(ref))
			}
		}
		if err := referencesHold(v); err != nil {
			return err
		}
	}
	for v := range elements(value) {
		if err := referencesHold(v); err != nil {
			return err
		}
	}
	return nil
}

func isReference(key []byte) bool {
	switch string(key) {
	case `"$ref"`, `"$dynamicRef"`, `"$recursiveRef"`:
		return true
	}
	return false
}

// pointsIntoProse follows the JSON pointer in a reference as far as it must: a step
// that is a keyword, not a name, and that is no plain contract gives it away.
func pointsIntoProse(ref string) bool {
	_, fragment, _ := strings.Cut(ref, "#")
	if unescaped, err := url.PathUnescape(fragment); err == nil {
		fragment = unescaped
	}
	names := false // The next step is a name, whatever it says.
	for _, step := range strings.Split(fragment, "/")[1:] {
		if names {
			names = false
			continue
		}
		switch roleOf(quote(nil, step), false) {
		case proseText, set:
			return true
		case schemaMap:
			names = true
		}
	}
	return false
}
