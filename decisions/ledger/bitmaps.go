package ledger

import (
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/writ-dev/writ/decisions"
)

// keptBytes bounds what is kept of bitmaps, in each of two generations.
const keptBytes = 8 << 20

// bitmaps keeps what was read of sealed segments, which does not change: the pages of a
// list ask for the same terms. A dense bitmap is some 18 kB in each segment, and reading
// makes three copies of it. When the young generation is full it becomes the old one,
// and what nobody asked for since is dropped. Who gets a bitmap must not change it.
type bitmaps struct {
	mu         sync.Mutex
	young, old map[bitmapKey]keptBitmap
	size       int // of the young, in bytes
}

type bitmapKey struct {
	mark [markSize]byte
	term decisions.Term
}

// keptBitmap is nil where no entry holds the term.
type keptBitmap struct {
	*roaring.Bitmap
	size int // in bytes, about
}

func (k *bitmaps) get(key bitmapKey) (b *roaring.Bitmap, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, known := k.young[key]
	if !known {
		if kept, known = k.old[key]; known {
			k.keep(key, kept)
		}
	}
	return kept.Bitmap, known
}

// put keeps a bitmap that shares the memory of a chunk of so many bytes.
func (k *bitmaps) put(key bitmapKey, b *roaring.Bitmap, chunk int) {
	const own = 200 // of key, maps and headers
	if b == nil {
		chunk = 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keep(key, keptBitmap{b, own + len(key.term.Value) + chunk})
}

func (k *bitmaps) keep(key bitmapKey, b keptBitmap) {
	if k.young == nil || k.size+b.size > keptBytes {
		k.young, k.old, k.size = map[bitmapKey]keptBitmap{}, k.young, 0
	}
	if had, known := k.young[key]; known {
		k.size -= had.size
	}
	k.young[key] = b
	k.size += b.size
}
