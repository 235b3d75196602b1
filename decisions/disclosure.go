package decisions

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// ErrDisclosure says that a disclosure opens nothing in the inputs it came with.
var ErrDisclosure = errors.New("the disclosure does not fit")

// Salt makes a commitment to a small value no dictionary.
type Salt [16]byte

// Disclosure opens the commitment that stands for a masked value (R35), as in RFC 9901.
type Disclosure struct {
	// Place is where the value stands in the inputs, a JSON pointer (RFC 6901).
	Place string
	Salt  Salt
	// Value is what the policy read, byte for byte: 1 and 1.0 differ.
	Value []byte
}

// A masked value is maskedBefore, maskedDigits of base64url, and maskedAfter.
const (
	maskedBefore = `{"...":"`
	maskedAfter  = `"}`
	maskedDigits = 43
	maskedSize   = len(maskedBefore) + maskedDigits + len(maskedAfter)
)

// Commitment is SHA-256 over "writ commitment", a zero byte, and place, salt and value,
// each preceded by its length as four bytes, big-endian.
func (d *Disclosure) Commitment() Hash {
	var room [256]byte
	b := append(room[:0], "writ commitment\x00"...)
	b = appendSized(b, d.Place)
	b = appendSized(b, d.Salt[:])
	return sha256.Sum256(appendSized(b, d.Value))
}

// AppendMasked appends what stands in the inputs instead of the value:
// {"...":"<commitment in base64url, without padding>"}.
func (d *Disclosure) AppendMasked(dst []byte) []byte {
	sum := d.Commitment()
	dst = append(dst, maskedBefore...)
	dst = base64.RawURLEncoding.AppendEncode(dst, sum[:])
	return append(dst, maskedAfter...)
}

// Unmask puts the values back, so that the inputs are what the policy read. Each
// disclosure must open one commitment, at its place; commitments that none opens stay.
// Errors: ErrDisclosure.
func Unmask(inputs []byte, disclosures []Disclosure) ([]byte, error) {
	if len(disclosures) == 0 {
		return inputs, nil
	}
	closed := make(map[string]*Disclosure, len(disclosures))
	for i := range disclosures {
		closed[string(disclosures[i].AppendMasked(nil))] = &disclosures[i]
	}
	if err := placed(inputs, closed); err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(inputs))
	for at := 0; at < len(inputs); {
		if inputs[at] == maskedBefore[0] && at+maskedSize <= len(inputs) {
			masked := string(inputs[at : at+maskedSize])
			if d := closed[masked]; d != nil {
				delete(closed, masked)
				out, at = append(out, d.Value...), at+maskedSize
				continue
			}
		}
		out, at = append(out, inputs[at]), at+1
	}
	if len(closed) > 0 {
		return nil, fmt.Errorf("%w: %d of %d open no commitment of the inputs", ErrDisclosure, len(closed), len(disclosures))
	}
	return out, nil
}

// placed checks that each commitment stands where its disclosure says.
func placed(inputs []byte, closed map[string]*Disclosure) error {
	var tree any
	if err := json.Unmarshal(inputs, &tree); err != nil {
		return fmt.Errorf("%w: the inputs are no JSON: %w", ErrDisclosure, err)
	}
	for masked, d := range closed {
		found, _ := follow(tree, d.Place).(map[string]any)
		if stands, ok := found["..."].(string); !ok || len(found) != 1 || maskedBefore+stands+maskedAfter != masked {
			return fmt.Errorf("%w: its commitment does not stand at %q", ErrDisclosure, d.Place)
		}
		if !json.Valid(d.Value) {
			return fmt.Errorf("%w: what it discloses at %q is no JSON", ErrDisclosure, d.Place)
		}
	}
	return nil
}

// follow returns what a JSON pointer leads to, or nil.
func follow(at any, pointer string) any {
	if pointer == "" {
		return at
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch node := at.(type) {
		case map[string]any:
			at = node[strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(node) {
				return nil
			}
			at = node[i]
		default:
			return nil
		}
	}
	return at
}

// AppendPointer appends a token to a JSON pointer.
func AppendPointer(pointer, token string) string {
	return pointer + "/" + strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// EncodeDisclosures returns the content of an item of disclosures, a
// ledgerv1.Disclosures.
func EncodeDisclosures(disclosures []Disclosure) ([]byte, error) {
	m := &ledgerv1.Disclosures{}
	for i := range disclosures {
		d := &disclosures[i]
		m.Disclosures = append(m.Disclosures, &ledgerv1.Disclosure{Place: d.Place, Salt: d.Salt[:], Value: d.Value})
	}
	return proto.Marshal(m)
}

// ParseDisclosures reads the content of an item of disclosures. Errors: ErrDisclosure.
func ParseDisclosures(content []byte) ([]Disclosure, error) {
	var m ledgerv1.Disclosures
	if err := proto.Unmarshal(content, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDisclosure, err)
	}
	var all []Disclosure
	for _, d := range m.GetDisclosures() {
		if len(d.GetSalt()) != len(Salt{}) {
			return nil, fmt.Errorf("%w: the salt at %q has %d bytes, expected %d", ErrDisclosure, d.GetPlace(), len(d.GetSalt()), len(Salt{}))
		}
		all = append(all, Disclosure{Place: d.GetPlace(), Salt: Salt(d.GetSalt()), Value: d.GetValue()})
	}
	return all, nil
}
