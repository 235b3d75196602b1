package ledger

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
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

// The digest key's check is what docs/ledger-format.md says, by another HMAC.
func TestDigestKeyCheck(t *testing.T) {
	keys := &Keys{Digest: [32]byte{1, 2, 3}, logID: "000102030405060708090a0b0c0d0e0f"}
	mac := hmac.New(sha256.New, keys.Digest[:])
	mac.Write([]byte("\x00\x00\x00\x0adigest-key\x00\x00\x00\x20" + keys.logID))
	if got, want := keys.digestCheck(), mac.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("got %x, expected %x", got, want)
	}
}
