package witness

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/writ-dev/writ/decisions"
)

// answerLimit bounds what is read of a witness's answer, in bytes.
const answerLimit = 64 << 10

// conflict is the size that a witness has seen, where it is another than was said.
type conflict uint64

func (c conflict) Error() string { return fmt.Sprintf("the witness has seen %d entries", uint64(c)) }

// submit sends the latest checkpoint once, with the proof that it continues the one that
// the witness has seen.
func (w *Witness) submit(ctx context.Context) error {
	if size := w.o.Log.Size(); w.next > size {
		return fmt.Errorf("%w: %s has signed for %d entries, the log has %d: it was rolled back, or is an old copy: restore the log, or begin a new epoch with writ log restore", ErrAhead, w.endpoint, w.next, size)
	}
	var proof decisions.Consistency
	checkpoint := w.o.Log.Checkpoint()
	if w.next > 0 {
		var err error
		if proof, checkpoint, err = w.o.Log.ProveConsistency(ctx, w.next, 0); err != nil {
			return err
		}
		if proof.Size == w.Size() {
			return nil
		}
	}
	answer, err := w.post(ctx, request(w.next, proof.Path, checkpoint))
	if err != nil {
		return err
	}
	cosigned, err := decisions.Cosign(checkpoint, answer, w.cosigner)
	if err != nil {
		return fmt.Errorf("%s: %w: is --witness-key the key of this witness?", w.endpoint, err)
	}
	if err := w.o.Log.KeepCosigned(cosigned); err != nil {
		return err
	}
	_, kept, err := w.o.Log.Cosigned()
	w.next = kept.Size
	w.size.Store(kept.Size)
	return err
}

// request is the body of add-checkpoint: the size that the witness has seen, the proof,
// an empty line, the checkpoint.
func request(old uint64, path []decisions.Hash, checkpoint []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "old %d\n", old)
	for _, h := range path {
		b.WriteString(base64.StdEncoding.EncodeToString(h[:]) + "\n")
	}
	b.WriteByte('\n')
	b.Write(checkpoint)
	return b.Bytes()
}

// post returns the signature lines of a witness that signed. Errors: conflict,
// ErrRefused, ErrAway.
func (w *Witness) post(ctx context.Context, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "text/plain; charset=utf-8")
	response, err := w.o.Client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	return w.judge(response.StatusCode, response.Header.Get("Content-Type"), answer)
}

// judge says what an answer means (C2SP tlog-witness).
func (w *Witness) judge(status int, kind string, answer []byte) ([]byte, error) {
	said := fmt.Sprintf("%s answered %d %.200q", w.endpoint, status, strings.TrimSpace(string(answer)))
	switch status {
	case http.StatusOK:
		return answer, nil
	case http.StatusConflict:
		if size, ok := parseSize(answer); ok && strings.HasPrefix(kind, "text/x.tlog.size") {
			return nil, conflict(size)
		}
		return nil, fmt.Errorf("%w: %s: it has seen another tree of this size: compare the two logs, and keep both", ErrRefused, said)
	case http.StatusNotFound:
		return nil, fmt.Errorf("%w: %s: it does not know the log: give whoever runs it the log's key (writ log key)", ErrRefused, said)
	case http.StatusForbidden:
		return nil, fmt.Errorf("%w: %s: it knows another key of the log: give whoever runs it the present one (writ log key)", ErrRefused, said)
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		return nil, fmt.Errorf("%w: %s: the log does not continue what it has seen: verify the log, and compare checkpoints", ErrRefused, said)
	}
	return nil, fmt.Errorf("%w: %s", ErrAway, said)
}

// parseSize reads a tree's size in decimal and a newline.
func parseSize(b []byte) (uint64, bool) {
	digits, found := strings.CutSuffix(string(b), "\n")
	size, err := strconv.ParseUint(digits, 10, 63)
	return size, found && err == nil && strconv.FormatUint(size, 10) == digits
}
