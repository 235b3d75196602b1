package decisions

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"
)

// DefaultMethod is the method of a request that names none.
const DefaultMethod = "tools/call"

// Request is one call that an agent wants to make: a DecideRequest in the domain's
// own terms. An empty field is the strict reading of it.
type Request struct {
	Workspace, Automation, Release string
	// Stage is what the gateway believes; the catalogue may know an earlier one (R10).
	Stage string
	// Server is the connection's name in the gateway's configuration.
	Server, Method, Tool string

	// ToolsetFingerprint and ProseDigest are of the list that the gateway holds, and
	// ToolsetAge is how old it is (R14).
	ToolsetFingerprint, ProseDigest string
	ToolsetAge                      time.Duration

	Arguments Arguments
	// Hints are the server's own annotations (R6).
	Hints Hints

	Process, Session, OnBehalfOf string
	// Credential is a name, never the secret.
	Credential, Target string
	// Scope is nil where none was stated (R23).
	Scope *Scope

	IdempotencyKey, ApprovalID string
	Labels                     map[string]string
}

// Scope says which things a collection call touches.
type Scope struct {
	// Selection is the rule that selects them.
	Selection string
	// Count is how many it selects now.
	Count int64
}

// requestVersion keeps digests of other formats apart.
const requestVersion = "writ request rq1\x00"

// Digest returns the request digest (R27), by which a retry is recognised. Buf is room
// to work in, and may be nil: with 1 KiB most requests allocate no more than the
// arguments' canonical form. Errors are those of Arguments.Canonical.
//
// Version rq1 is SHA-256 over
//
//	"writ request rq1" 0x00
//	workspace automation release server method tool
//	process session on_behalf_of credential target      each: length, bytes
//	0x00 | 0x01 length canonical | 0x02 digest          arguments: omitted, JSON, digest only
//	0x00 | 0x01 length selection count                  scope: unsaid, said
//
// A length is four bytes and a count eight, big-endian. The method is never empty:
// "tools/call" stands for one that is not said. Canonical is cj1 (see Canonical), so
// the order of keys and the spelling of numbers is no difference; omitted arguments
// and empty ones are different requests (R27).
//
// It covers what is to be done, by whom and with what. It leaves out what may differ
// between a call and its retry and is judged afresh each time: the stage, approval id,
// hints, labels, fingerprint, prose digest, age, and the idempotency key itself.
func (r *Request) Digest(buf []byte) (Hash, error) {
	encoded, err := r.appendDigested(buf[:0])
	if err != nil {
		return Hash{}, err
	}
	return sha256.Sum256(encoded), nil
}

// appendDigested appends what the request digest is taken over.
func (r *Request) appendDigested(dst []byte) ([]byte, error) {
	arguments, err := r.Arguments.Canonical()
	if err != nil {
		return nil, err
	}
	method := r.Method
	if method == "" {
		method = DefaultMethod
	}
	dst = append(dst, requestVersion...)
	for _, field := range [...]string{
		r.Workspace, r.Automation, r.Release, r.Server, method, r.Tool,
		r.Process, r.Session, r.OnBehalfOf, r.Credential, r.Target,
	} {
		dst = appendSized(dst, field)
	}
	dst = append(dst, byte(r.Arguments.Kind))
	switch r.Arguments.Kind {
	case ArgumentsOmitted:
	case ArgumentsJSON:
		dst = appendSized(dst, arguments)
	case ArgumentsDigest:
		dst = append(dst, r.Arguments.Digest[:]...)
	}
	return r.Scope.appendDigested(dst), nil
}

func (s *Scope) appendDigested(dst []byte) []byte {
	if s == nil {
		return append(dst, 0)
	}
	dst = appendSized(append(dst, 1), s.Selection)
	return binary.BigEndian.AppendUint64(dst, uint64(s.Count))
}

// ArgumentsKind says in which form arguments were sent.
type ArgumentsKind uint8

// Arguments kinds. The numbers are part of the request digest.
const (
	ArgumentsOmitted ArgumentsKind = iota
	ArgumentsJSON
	ArgumentsDigest
)

// MaxArguments is the most bytes of arguments in JSON.
const MaxArguments = 1 << 20

// Arguments are a call's arguments: omitted, a JSON object, or only its digest.
type Arguments struct {
	Kind ArgumentsKind
	// JSON is the object as it was sent; set for ArgumentsJSON. Do not change it.
	JSON []byte
	// Digest is SHA-256 over the canonical arguments; set for ArgumentsDigest.
	Digest Hash

	// canonical remembers what Canonical returned.
	canonical []byte
}

// Canonical returns the canonical form of arguments sent as JSON, and nil for others.
// It refuses, with an error that wraps ErrJSON, what Canonical refuses, what is no
// object, and what is over MaxArguments. The result is kept: it must not be changed,
// and the first call must be over before Arguments are shared.
func (a *Arguments) Canonical() ([]byte, error) {
	if a.Kind != ArgumentsJSON || a.canonical != nil {
		return a.canonical, nil
	}
	canonical, err := Canonical(make([]byte, 0, len(a.JSON)+len(a.JSON)/8+16), a.JSON, Limits{Size: MaxArguments})
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	if canonical[0] != '{' {
		return nil, fmt.Errorf("arguments: %w", &SyntaxError{Problem: "not an object: send {…}"})
	}
	a.canonical = canonical
	return canonical, nil
}
