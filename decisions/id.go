package decisions

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// idPrefix is how many hex digits of the log id a decision id carries.
const idPrefix = 8

// ErrDecisionID says that a string is no decision id.
var ErrDecisionID = errors.New("not a decision id")

// DecisionID names a decision by its place in a log: the first 8 hex digits of the
// log id, a dash, and the sequence in decimal, as in "5f3c09ab-1742". Finding one
// therefore needs no index.
func DecisionID(logID string, sequence uint64) string {
	var room [idPrefix + 21]byte
	id := append(append(room[:0], logID[:min(idPrefix, len(logID))]...), '-')
	return string(strconv.AppendUint(id, sequence, 10))
}

// ParseDecisionID returns the log's prefix and the sequence. It takes only what
// DecisionID writes; everything else is ErrDecisionID.
func ParseDecisionID(id string) (prefix string, sequence uint64, err error) {
	prefix, digits, found := strings.Cut(id, "-")
	n, err := strconv.ParseUint(digits, 10, 64)
	if !found || err != nil || !isLowerHex(prefix) || DecisionID(prefix, n) != id || len(prefix) != idPrefix {
		return "", 0, fmt.Errorf("%w: %.64q: expected 8 hex digits, a dash and a number, as in 5f3c09ab-1742", ErrDecisionID, id)
	}
	return prefix, n, nil
}

func isLowerHex(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
