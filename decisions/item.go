package decisions

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

var (
	// ErrItem says that an item does not decrypt: it was altered, or is not what its
	// entry says.
	ErrItem = errors.New("the item does not decrypt")
	// ErrItemKey says that an item's key is not where the keys are, or is damaged there.
	ErrItemKey = errors.New("the item's key is missing")
	// ErrErased says that an item's key was destroyed. It is no damage.
	ErrErased = errors.New("erased")
)

// ItemKey encrypts one item and is never used again. Whoever makes one fills it from
// a cryptographic source.
type ItemKey [32]byte

// ItemCheckSize is how many bytes tell one key from another in an entry.
const ItemCheckSize = 16

// Check tells the item's key from others, without giving it away: the first 16 bytes of
// SHA-256 over "writ item key", a zero byte, the log id's 32 hex digits, the slot as
// eight bytes, big-endian, and the key.
func (k *ItemKey) Check(logID string, slot uint64) []byte {
	sum := sha256.Sum256(append(itemName("writ item key\x00", logID, slot), k[:]...))
	return sum[:ItemCheckSize]
}

// Seal encrypts an item's content with AES-256-GCM. The nonce is twelve zero bytes,
// since a key seals once. The associated data is "writ item", a zero byte, the log id's
// 32 hex digits, the slot as eight bytes and the kind as four, big-endian: content
// can't be passed off as another item's.
func (k *ItemKey) Seal(logID string, slot uint64, kind ledgerv1.ItemKind, content []byte) ([]byte, error) {
	aead, err := k.aead()
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, make([]byte, aead.NonceSize()), content, itemData(logID, slot, kind)), nil
}

// Open decrypts an item's content. Errors: ErrItem.
func (k *ItemKey) Open(logID string, slot uint64, kind ledgerv1.ItemKind, sealed []byte) ([]byte, error) {
	aead, err := k.aead()
	if err != nil {
		return nil, err
	}
	content, err := aead.Open(nil, make([]byte, aead.NonceSize()), sealed, itemData(logID, slot, kind))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrItem, err)
	}
	return content, nil
}

func (k *ItemKey) aead() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func itemData(logID string, slot uint64, kind ledgerv1.ItemKind) []byte {
	return binary.BigEndian.AppendUint32(itemName("writ item\x00", logID, slot), uint32(kind))
}

func itemName(domain, logID string, slot uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(domain), logID...), slot)
}

// ErasedError says which entry erased an item. It is ErrErased.
type ErasedError struct {
	// Slot is the item's; By the sequence of the Erased entry.
	Slot, By uint64
}

// Error says by which entry.
func (e *ErasedError) Error() string {
	return fmt.Sprintf("%v by entry %d, which says by whom and why", ErrErased, e.By)
}

// Unwrap returns ErrErased.
func (*ErasedError) Unwrap() error { return ErrErased }
