package decisions

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// ErrCheckpoint says that a checkpoint does not parse or its signature does not hold.
var ErrCheckpoint = errors.New("not a valid checkpoint")

const originPrefix = "writ.dev/log/"

// Checkpoint is a tree head: so many leaves, and their root. Signed, it is a C2SP
// tlog-checkpoint in a C2SP signed note (Ed25519), without extension lines:
//
//	writ.dev/log/5f3c09ab5f3c09ab5f3c09ab5f3c09ab
//	1742
//	qIlIU3CkpdAI0rtRnYk4i9FMOlu2pj5VTXhA7ljBRWQ=
//
//	— writ.dev/log/5f3c09ab5f3c09ab5f3c09ab5f3c09ab wXyZ…
//
// The lines are the origin, the size in decimal, and the root in base64. The key's
// name is the origin, so that a key signs for one log only.
type Checkpoint struct {
	LogID string
	Size  uint64
	Root  Hash
}

// Origin is the first line of a log's checkpoints and the name of its key.
func Origin(logID string) string { return originPrefix + logID }

// LogIDOf returns the log id that an origin names, or "" where it names none.
func LogIDOf(origin string) string {
	id, found := strings.CutPrefix(origin, originPrefix)
	if !found || len(id) != 32 || !isLowerHex(id) {
		return ""
	}
	return id
}

// Sign returns the signed note.
func (c Checkpoint) Sign(s note.Signer) ([]byte, error) {
	text := Origin(c.LogID) + "\n" + strconv.FormatUint(c.Size, 10) + "\n" + base64.StdEncoding.EncodeToString(c.Root[:]) + "\n"
	return note.Sign(&note.Note{Text: text}, s)
}

// ParseCheckpoint reads a signed checkpoint and checks its signature by v. Other
// signatures beside v's (a witness's) are let stand. Errors: ErrCheckpoint.
func ParseCheckpoint(msg []byte, v note.Verifier) (Checkpoint, error) {
	n, err := note.Open(msg, note.VerifierList(v))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	c, err := parseBody(n.Text)
	if err == nil && Origin(c.LogID) != v.Name() {
		err = fmt.Errorf("it is of log %s, but the key is %s's", c.LogID, v.Name())
	}
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return c, nil
}

func parseBody(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[3] != "" {
		return Checkpoint{}, fmt.Errorf("expected 3 lines (origin, size, root), found %d", len(lines)-1)
	}
	id := LogIDOf(lines[0])
	if id == "" {
		return Checkpoint{}, fmt.Errorf("line 1: expected %s and 32 hex digits", originPrefix)
	}
	size, err := strconv.ParseUint(lines[1], 10, 63)
	if err != nil || strconv.FormatUint(size, 10) != lines[1] {
		return Checkpoint{}, errors.New("line 2: expected the tree's size in decimal")
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != len(Hash{}) {
		return Checkpoint{}, errors.New("line 3: expected 32 bytes in base64")
	}
	return Checkpoint{LogID: id, Size: size, Root: Hash(root)}, nil
}
