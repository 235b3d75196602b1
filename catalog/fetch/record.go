package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// emptyCursor stands for "" on its way through the library, which would leave an
// empty cursor out and so ask for the first page again.
const emptyCursor = "\x00empty"

// recorder is a transport that keeps the raw result of each tools/list: decoded
// and encoded again it would not be what the server sent.
type recorder struct {
	mcp.Transport

	mu      sync.Mutex
	asked   map[any]bool // ids of tools/list requests under way
	results []json.RawMessage
	failed  error
}

// Connect is called once by the client.
func (r *recorder) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := r.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	r.asked = map[any]bool{}
	return &recorded{Connection: conn, to: r}, nil
}

// page asks for one page and returns it raw. What the library makes of the page
// does not matter: it refuses lists that a fingerprint can still describe.
func (r *recorder) page(ctx context.Context, s *mcp.ClientSession, cursor *string) (json.RawMessage, error) {
	params := &mcp.ListToolsParams{}
	switch {
	case cursor == nil:
	case *cursor == "":
		params.Cursor = emptyCursor
	default:
		params.Cursor = *cursor
	}
	_, listErr := s.ListTools(ctx, params)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		return nil, r.failed
	}
	if len(r.results) == 0 {
		return nil, errors.Join(ErrNoTools, listErr)
	}
	raw := r.results[0]
	r.results = r.results[1:]
	return raw, nil
}

// recorded is the connection that the recorder listens on.
type recorded struct {
	mcp.Connection
	to *recorder
}

func (c *recorded) Write(ctx context.Context, m jsonrpc.Message) error {
	if q, ok := m.(*jsonrpc.Request); ok && q.Method == "tools/list" {
		c.to.mu.Lock()
		c.to.asked[q.ID.Raw()] = true
		c.to.mu.Unlock()
		if err := restoreEmptyCursor(q); err != nil {
			return err
		}
	}
	return c.Connection.Write(ctx, m)
}

func restoreEmptyCursor(q *jsonrpc.Request) error {
	if !bytes.Contains(q.Params, []byte(`\u0000empty`)) {
		return nil
	}
	var params map[string]json.RawMessage
	if err := json.Unmarshal(q.Params, &params); err != nil {
		return err
	}
	params["cursor"] = json.RawMessage(`""`)
	var err error
	q.Params, err = json.Marshal(params)
	return err
}

func (c *recorded) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if a, ok := m.(*jsonrpc.Response); ok && err == nil {
		c.to.keep(a)
	}
	return m, err
}

func (r *recorder) keep(a *jsonrpc.Response) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.asked[a.ID.Raw()] {
		return
	}
	delete(r.asked, a.ID.Raw())
	if a.Error != nil {
		r.failed = a.Error
		return
	}
	r.results = append(r.results, a.Result)
}
