package decisions

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"google.golang.org/protobuf/proto"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// ErrKeyChange says that bytes are no statement of a key change, or that it is not
// signed by both keys.
var ErrKeyChange = errors.New("not a valid change of keys")

const keyChangeHeader = "writ.dev/key-change"

// KeyChange says that a log's checkpoints of more than Size entries are signed by
// another key than those up to Size. Signed by both keys, it is a C2SP signed note:
//
//	writ.dev/key-change
//	writ.dev/log/5f3c09ab5f3c09ab5f3c09ab5f3c09ab
//	1742
//	writ.dev/log/5f3c09ab5f3c09ab5f3c09ab5f3c09ab+1a2b3c4d+Aa…
//	writ.dev/log/5f3c09ab5f3c09ab5f3c09ab5f3c09ab+5e6f7a8b+Ab…
//
//	— writ.dev/log/5f3c09ab5f3c09ab5f3c09ab5f3c09ab GisjTa…
//	— writ.dev/log/5f3c09ab5f3c09ab5f3c09ab5f3c09ab Xm96i1…
//
// Only who held the old key can have made it, so whoever trusts that key can go on to
// the new one; and only who held the new one, so that one can be traced back.
type KeyChange struct {
	LogID string
	// Size is how many entries there were before: the change itself is entry Size.
	Size uint64
	// Old and New are verifier keys, as in C2SP signed-note.
	Old, New string
}

// Sign returns the statement, signed by both keys.
func (k KeyChange) Sign(old, next note.Signer) ([]byte, error) {
	lines := []string{keyChangeHeader, Origin(k.LogID), strconv.FormatUint(k.Size, 10), k.Old, k.New, ""}
	return note.Sign(&note.Note{Text: strings.Join(lines, "\n")}, old, next)
}

// ParseKeyChange reads a statement and checks the signatures of the two keys in it.
// Errors: ErrKeyChange.
func ParseKeyChange(statement []byte) (KeyChange, error) {
	k, old, next, err := readKeyChange(statement)
	if err != nil {
		return KeyChange{}, fmt.Errorf("%w: %w", ErrKeyChange, err)
	}
	for _, v := range []note.Verifier{old, next} {
		n, err := note.Open(statement, note.VerifierList(v))
		if err == nil && strings.Contains(n.Text, "\n\n") {
			err = errors.New("more lines are signed")
		}
		if err != nil {
			return KeyChange{}, fmt.Errorf("%w: it is not signed by the key %08x: %w", ErrKeyChange, v.KeyHash(), err)
		}
	}
	return k, nil
}

func readKeyChange(statement []byte) (k KeyChange, old, next note.Verifier, err error) {
	text, _, found := strings.Cut(string(statement), "\n\n")
	lines := strings.Split(text, "\n")
	if !found || len(lines) != 5 || lines[0] != keyChangeHeader {
		return k, nil, nil, fmt.Errorf("expected 5 lines that begin with %s, and signatures", keyChangeHeader)
	}
	k = KeyChange{LogID: LogIDOf(lines[1]), Old: lines[3], New: lines[4]}
	if k.LogID == "" {
		return k, nil, nil, fmt.Errorf("line 2: expected %s and 32 hex digits", originPrefix)
	}
	if k.Size, err = strconv.ParseUint(lines[2], 10, 63); err != nil || strconv.FormatUint(k.Size, 10) != lines[2] {
		return k, nil, nil, errors.New("line 3: expected a number of entries in decimal")
	}
	if old, err = logVerifier(k.LogID, k.Old); err == nil {
		next, err = logVerifier(k.LogID, k.New)
	}
	if err == nil && old.KeyHash() == next.KeyHash() {
		err = errors.New("both keys have one hash")
	}
	return k, old, next, err
}

// logVerifier reads a verifier key that must be of a log's name.
func logVerifier(logID, key string) (note.Verifier, error) {
	v, err := note.NewVerifier(key)
	if err != nil {
		return nil, fmt.Errorf("verifier key %.120q: %w", key, err)
	}
	if LogIDOf(v.Name()) == "" || logID != "" && v.Name() != Origin(logID) {
		return nil, fmt.Errorf("verifier key %.120q: expected one that is named %s", key, Origin(logID))
	}
	return v, nil
}

// EntryKeyChange reads the statement of a KeyChanged entry, and checks that it speaks
// of that entry. Errors: ErrKeyChange.
func EntryKeyChange(e Envelope) (KeyChange, []byte, error) {
	var m ledgerv1.KeyChanged
	if err := proto.Unmarshal(e.Body, &m); err != nil {
		return KeyChange{}, nil, fmt.Errorf("%w: %w", ErrKeyChange, err)
	}
	k, err := ParseKeyChange(m.GetStatement())
	if err == nil && (k.Size != e.Sequence || k.New != m.GetVerifierKey()) {
		err = fmt.Errorf("%w: entry %d has a statement of entry %d, to the key %s, and says %s", ErrKeyChange, e.Sequence, k.Size, k.New, m.GetVerifierKey())
	}
	return k, m.GetStatement(), err
}

// SplitKeyChain splits statements that follow each other in one text. It checks none.
func SplitKeyChain(text []byte) [][]byte {
	var statements [][]byte
	const begin = keyChangeHeader + "\n"
	for rest := string(text); rest != ""; {
		one := rest
		if at := strings.Index(rest[1:], "\n"+begin); at >= 0 {
			one = rest[:at+2]
		}
		statements, rest = append(statements, []byte(one)), rest[len(one):]
	}
	return statements
}
