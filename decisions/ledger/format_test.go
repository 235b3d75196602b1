package ledger

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

// The example in docs/ledger-format.md is what the code writes.
func TestFormatExample(t *testing.T) {
	h := header{number: 0, size: 64 << 20, mark: mark{0xa7, 1, 2, 3, 4, 5, 6, 7}}
	for i := range h.logID {
		h.logID[i] = byte(i)
	}
	b, at := openEntry(appendHeader(nil))
	b = decisions.Seal(b, []byte{0x12, 0x06, 0x0a, 0x04, 't', 'e', 's', 't'}, 0, 1_800_000_000_000_000_000, nil)
	leaf := closeEntry(b, at)
	sealFrame(b, h.mark, 0, 1, decisions.Hash{})
	hash := batchHash(b[:frameHeader], []decisions.Hash{leaf})
	doc, err := os.ReadFile("../../docs/ledger-format.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(doc)), "")
	for name, want := range map[string][]byte{
		"segment header": h.encode(), "batch": b, "leaf hash": leaf[:], "batch hash": hash[:],
	} {
		if !strings.Contains(text, hex.EncodeToString(want)) {
			t.Errorf("%s: the document lacks\n%s", name, hex.Dump(want))
			t.Logf("%x", want)
		}
	}
}
