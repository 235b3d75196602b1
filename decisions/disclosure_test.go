package decisions_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// R35: what docs/ledger-format.md says of a commitment, byte by byte.
func TestCommitment(t *testing.T) {
	d := decisions.Disclosure{Place: "/arguments/iban", Value: []byte(`"DE02120300000000202051"`)}
	for i := range d.Salt {
		d.Salt[i] = byte(i)
	}
	want := decisions.Hash(sum(strings.Join([]string{
		"writ commitment\x00",
		"\x00\x00\x00\x0f/arguments/iban",
		"\x00\x00\x00\x10\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f",
		"\x00\x00\x00\x18" + `"DE02120300000000202051"`,
	}, "")))
	if got := d.Commitment(); got != want {
		t.Errorf("got %x, expected %x", got, want)
	}
	if got := string(d.AppendMasked([]byte("x"))); got != `x{"...":"4EOvi6Fmks357UP0idT6EhZwoIH8HYsbiWDPUdGjR_I"}` {
		t.Errorf("stands as %s", got)
	}
}

// R35: with the disclosures the inputs are, byte for byte, what the policy read. A
// disclosure that was changed, moved or made up opens nothing.
func TestUnmask(t *testing.T) {
	one := decisions.Disclosure{Place: "/arguments/to/1/address", Salt: decisions.Salt{1}, Value: []byte(`"a@b.example"`)}
	two := decisions.Disclosure{Place: "/labels/a~1b~0c", Salt: decisions.Salt{2}, Value: []byte(`1.0`)}
	before := `{"labels":{"a/b~c":1.0},"arguments":{"to":[ {"x":"{\"...\":"},{"address":"a@b.example" }]}}`
	masked := strings.Replace(before, `"a@b.example"`, string(one.AppendMasked(nil)), 1)
	masked = strings.Replace(masked, `1.0`, string(two.AppendMasked(nil)), 1)

	got, err := decisions.Unmask([]byte(masked), []decisions.Disclosure{one, two})
	if err != nil || string(got) != before {
		t.Errorf("got %s, %v\nwant %s", got, err, before)
	}
	if got, err := decisions.Unmask([]byte(masked), nil); err != nil || string(got) != masked {
		t.Errorf("without disclosures: %s, %v", got, err)
	}
	for name, change := range map[string]func(*decisions.Disclosure){
		"another value": func(d *decisions.Disclosure) { d.Value = []byte(`"x@b.example"`) },
		"another salt":  func(d *decisions.Disclosure) { d.Salt[15]++ },
		"another place": func(d *decisions.Disclosure) { d.Place = "/arguments/to/0/address" },
		"no place":      func(d *decisions.Disclosure) { d.Place = "/arguments/cc/9/x" },
	} {
		forged := one
		change(&forged)
		if got, err := decisions.Unmask([]byte(masked), []decisions.Disclosure{forged, two}); !errors.Is(err, decisions.ErrDisclosure) {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
	moved := strings.Replace(before, `"x"`, `"y"`, 1)
	moved = strings.Replace(moved, `{\"...\":`, `{`, 1)
	moved = strings.Replace(moved, `"{"`, string(one.AppendMasked(nil)), 1)
	if got, err := decisions.Unmask([]byte(moved), []decisions.Disclosure{one}); !errors.Is(err, decisions.ErrDisclosure) {
		t.Errorf("a commitment at another place: got %s, %v", got, err)
	}
}

func FuzzDisclosures(f *testing.F) {
	some, err := decisions.EncodeDisclosures([]decisions.Disclosure{{Place: "/target", Value: []byte(`"x"`)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(some, []byte(`{"target":{"...":"hhh"}}`))
	f.Fuzz(func(t *testing.T, content, inputs []byte) {
		all, err := decisions.ParseDisclosures(content)
		if err != nil {
			return
		}
		again, err := decisions.EncodeDisclosures(all)
		if err != nil {
			return // a place that is no text
		}
		if twice, err := decisions.ParseDisclosures(again); err != nil || len(twice) != len(all) {
			t.Fatalf("%x was read as %v, %v", content, twice, err)
		}
		_, _ = decisions.Unmask(inputs, all) // must not panic
	})
}

// R35: an item opens with its own key, at its own place, as what it is, or not at all.
func TestItemKey(t *testing.T) {
	const logID, kind = "000102030405060708090a0b0c0d0e0f", ledgerv1.ItemKind_ITEM_KIND_INPUTS
	key := decisions.ItemKey{1, 2, 3}
	sealed, err := key.Seal(logID, 7, kind, []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := key.Open(logID, 7, kind, sealed); err != nil || string(got) != "content" {
		t.Errorf("got %q, %v", got, err)
	}
	other := decisions.ItemKey{1, 2, 4}
	flipped := append([]byte{sealed[0] ^ 1}, sealed[1:]...)
	for name, open := range map[string]func() ([]byte, error){
		"another key":  func() ([]byte, error) { return other.Open(logID, 7, kind, sealed) },
		"another log":  func() ([]byte, error) { return key.Open("f"+logID[1:], 7, kind, sealed) },
		"another slot": func() ([]byte, error) { return key.Open(logID, 8, kind, sealed) },
		"another kind": func() ([]byte, error) { return key.Open(logID, 7, kind+1, sealed) },
		"a bit":        func() ([]byte, error) { return key.Open(logID, 7, kind, flipped) },
		"cut":          func() ([]byte, error) { return key.Open(logID, 7, kind, sealed[:3]) },
	} {
		if got, err := open(); !errors.Is(err, decisions.ErrItem) {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	want := sum("writ item key\x00" + logID + "\x00\x00\x00\x00\x00\x00\x00\x07" + string(key[:]))[:16]
	if got := key.Check(logID, 7); string(got) != string(want) {
		t.Errorf("its check is %s", hex.EncodeToString(got))
	}
}

func sum(s string) []byte {
	h := sha256.Sum256([]byte(s))
	return h[:]
}
