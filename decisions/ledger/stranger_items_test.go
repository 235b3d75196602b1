package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// disclosedByStranger gives an entry, as writ log show -o json prints it, to the script.
func disclosedByStranger(t *testing.T, l *Ledger, sequence uint64) (out, complaint string) {
	t.Helper()
	const script = "../../clients/verify/disclose.mjs"
	if _, err := os.Stat(script); err != nil { // and go test's cache knows the file
		t.Fatal(err)
	}
	r, err := l.Entry(sequence)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal(map[string]any{"position": map[string]string{"log_id": l.LogID()}, "raw": r.Raw})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", script, l.opts.KeyDir, l.opts.Dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(shown), &stdout, &stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || (err == nil) != (stderr.Len() == 0) {
		t.Fatalf("exit %v, and it says %q", err, &stderr)
	}
	return strings.TrimSpace(stdout.String()), strings.TrimSpace(stderr.String())
}

// appendMasked appends a decision whose inputs are masked, and perhaps an item too.
func appendMasked(t *testing.T, l *Ledger, masked string, large bool, open ...decisions.Disclosure) uint64 {
	t.Helper()
	content, err := decisions.EncodeDisclosures(open)
	if err != nil {
		t.Fatal(err)
	}
	item, err := l.PutItem(ledgerv1.ItemKind_ITEM_KIND_DISCLOSURES, content)
	if err != nil {
		t.Fatal(err)
	}
	d := &ledgerv1.Decision{Inputs: []byte(masked), Items: []*ledgerv1.Item{item}}
	if large {
		inputs, err := l.PutItem(ledgerv1.ItemKind_ITEM_KIND_INPUTS, d.GetInputs())
		if err != nil {
			t.Fatal(err)
		}
		d.Inputs, d.Items = nil, append(d.Items, inputs)
	}
	body := marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: d}})
	r, err := l.Append(decisions.Proposal{Body: body, Keys: item.GetSlot() + uint64(len(d.GetItems()))})
	if err != nil {
		t.Fatal(err)
	}
	return r.Sequence
}

// docs/ledger-format.md suffices: a script in another language, which shares no code with
// this one, finds the keys, decrypts, and checks the commitments.
func TestAnotherLanguageDiscloses(t *testing.T) {
	requireNode(t)
	l := openTest(t, testOptions(t))
	one := decisions.Disclosure{Place: "/arguments/to/0/a~1b", Salt: decisions.Salt{1, 15: 2}, Value: []byte(`"Grüße $& \"x\""`)}
	two := decisions.Disclosure{Place: "/target", Salt: decisions.Salt{3}, Value: []byte(`1.0`)}
	inputs := func(filler, target, to string) string {
		return fmt.Sprintf(`{"target":%s,"filler":%q,"arguments":{"to":[ {"a/b":%s} ]}}`, target, filler, to)
	}
	for name, filler := range map[string]string{"small": "", "large": strings.Repeat("x", 2*maxInlineItem)} {
		masked := inputs(filler, string(two.AppendMasked(nil)), string(one.AppendMasked(nil)))
		sequence := appendMasked(t, l, masked, filler != "", one, two)
		if got, complaint := disclosedByStranger(t, l, sequence); got != inputs(filler, string(two.Value), string(one.Value)) {
			t.Errorf("%s: it says %.200s %s", name, got, complaint)
		}
		forged := one
		forged.Value = []byte(`"x"`)
		if _, complaint := disclosedByStranger(t, l, appendMasked(t, l, masked, false, forged)); !strings.Contains(complaint, "no commitment to what is disclosed stands at /arguments/to/0/a~1b") {
			t.Errorf("%s, another value: it says %q", name, complaint)
		}
		erased, err := l.Erase(sequence, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, complaint := disclosedByStranger(t, l, sequence); !strings.Contains(complaint, fmt.Sprintf("erased by entry %d", erased.Sequence)) {
			t.Errorf("%s, erased: it says %q", name, complaint)
		}
	}
}

// What an Erased entry says is verified, by both.
func TestErasedIsVerified(t *testing.T) {
	requireNode(t)
	o := testOptions(t)
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Erase(mustAppendItem(t, l, "gone"), &ledgerv1.Actor{Name: "ada"}, ""); err != nil {
		t.Fatal(err)
	}
	key := l.VerifierKey()
	if _, complaint := byStranger(t, o, key); complaint != "" {
		t.Error(complaint)
	}
	wrong := &ledgerv1.Erased{Sequence: 99, Items: []*ledgerv1.ErasedItem{{}}}
	receipts, err := l.appendOwn([]*ledgerv1.Entry{{Body: &ledgerv1.Entry_Erased{Erased: wrong}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("entry %d", receipts[0].Sequence)
	if _, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir}); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), at) {
		t.Errorf("Verify: %v", err)
	}
	if _, complaint := byStranger(t, o, key); !strings.Contains(complaint, at) || !strings.Contains(complaint, "it erases entry 99") {
		t.Errorf("the script: %q", complaint)
	}
}
