// Package witness has somebody else see a log's checkpoints: each is sent to a witness
// (C2SP tlog-witness), which signs it only if it continues the one before. What it
// signed is kept beside the anchor. No answer of the service waits for it.
package witness

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/writ-dev/writ/decisions"
)

// Errors that a caller tells apart; each says what to do.
var (
	// ErrOptions: the witness's address or key is not one.
	ErrOptions = errors.New("witness")
	// ErrAhead: the witness has signed for more entries than the log has, so the log was
	// rolled back or is an old copy.
	ErrAhead = errors.New("the witness has seen a longer log")
	// ErrRefused: the witness does not know the log, or says that it does not continue
	// what it saw.
	ErrRefused = errors.New("the witness refused the checkpoint")
	// ErrAway: there is no answer of the witness now. Passes.
	ErrAway = errors.New("the witness is away")
)

// Log is what is witnessed. It is safe for concurrent use.
type Log interface {
	Size() uint64
	// Checkpoint returns the latest one, a signed note.
	Checkpoint() []byte
	// ProveConsistency proves that a tree is the beginning of the latest checkpoint's,
	// where size is 0, and returns that.
	ProveConsistency(ctx context.Context, from, size uint64) (decisions.Consistency, []byte, error)
	// Cosigned returns what KeepCosigned kept last, checked by the log's own key; nil
	// where there is none.
	Cosigned() ([]byte, decisions.Checkpoint, error)
	// KeepCosigned makes a cosigned checkpoint durable. A log that is shorter does not
	// open from then on.
	KeepCosigned(checkpoint []byte) error
}

// Options of a witness.
type Options struct {
	Log Log
	// URL is the submission prefix: add-checkpoint is below it.
	URL string
	// Key is the witness's verifier key, of the Ed25519 cosignature kind.
	Key string
	// Every is how long after a checkpoint was sent the next one is. Default 10 s.
	Every time.Duration
	// Client. Default: one that waits 10 s.
	Client *http.Client
	Logger *slog.Logger
}

// Witness sends a log's checkpoints to one witness.
type Witness struct {
	o        Options
	cosigner *decisions.Cosigner
	endpoint string
	next     uint64 // the size that the witness has seen, as far as is known
	size     atomic.Uint64
	failures atomic.Uint64
}

// New reads what the witness signed before. It asks nobody. Errors: ErrOptions, the
// log's.
func New(o Options) (*Witness, error) {
	cosigner, err := decisions.NewCosigner(o.Key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if u, err := url.Parse(o.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%w: %q is no address of a witness: expected https://HOST/PREFIX", ErrOptions, o.URL)
	}
	if o.Every == 0 {
		o.Every = 10 * time.Second
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 10 * time.Second}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	w := &Witness{o: o, cosigner: cosigner, endpoint: strings.TrimSuffix(o.URL, "/") + "/add-checkpoint"}
	kept, checkpoint, err := o.Log.Cosigned()
	if err != nil || kept == nil {
		return w, err
	}
	if _, err := decisions.Cosign(kept, nil, cosigner); err == nil { // else it is of another witness
		w.next = checkpoint.Size
		w.size.Store(checkpoint.Size)
	}
	return w, nil
}

// Size is how many entries the newest cosigned checkpoint covers.
func (w *Witness) Size() uint64 { return w.size.Load() }

// Failures counts the attempts since New that brought no cosignature.
func (w *Witness) Failures() uint64 { return w.failures.Load() }

// Run sends the latest checkpoint now and then, until the context ends. Whatever fails
// is logged and tried again with the next.
func (w *Witness) Run(ctx context.Context) {
	ticker := time.NewTicker(w.o.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		err := w.Update(ctx)
		switch {
		case err == nil, ctx.Err() != nil:
		case errors.Is(err, ErrAway):
			w.o.Logger.Warn("the checkpoint was not witnessed, trying again", "error", err)
		default:
			w.o.Logger.Error("the checkpoint was not witnessed", "error", err)
		}
	}
}

// Update sends the latest checkpoint, unless the witness has signed it already, and
// keeps the cosignature. Errors: ErrAhead, ErrRefused, ErrAway, decisions.ErrCheckpoint
// where the answer is no cosignature, the log's.
func (w *Witness) Update(ctx context.Context) error {
	err := w.submit(ctx)
	var c conflict
	if errors.As(err, &c) && uint64(c) != w.next { // it has seen another size than we knew
		w.next = uint64(c)
		err = w.submit(ctx)
	}
	if errors.As(err, &c) {
		err = fmt.Errorf("%w: %s: it has seen another tree of %d entries: compare the two logs, and keep both", ErrRefused, w.endpoint, uint64(c))
	}
	if err != nil {
		w.failures.Add(1)
	}
	return err
}
