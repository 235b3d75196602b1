package catalog

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/writ-dev/writ/decisions"
)

// referencesHold refuses a $ref into what the contract leaves out or reorders: what it
// means could change while the fingerprint stays (R16). It looks at every key,
// wherever it stands, as a reference may lead there.
func referencesHold(contract []byte) error {
	for i := 0; i < len(contract); i++ {
		if contract[i] != '"' {
			continue
		}
		end := i + stringExtent(contract[i:])
		if contract[end] == ':' && contract[end+1] == '"' && isReference(contract[i:end]) {
			value := contract[end+1:]
			if ref := decisions.Unquote(value[:stringExtent(value)]); pointsIntoProse(ref) {
				return fmt.Errorf("%s %s points into what is not part of the contract: move its target to $defs",
					contract[i+1:end-1], quoted(ref))
			}
		}
		i = end - 1
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
		default:
		}
	}
	return false
}
