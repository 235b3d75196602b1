package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// RunHTTP drives an HTTP/1.1 service at host:port. Each caller has a connection of its
// own, writes a whole request as Next made it, and reads the answer's body. That costs
// less than net/http's client and less than gRPC's, so that who is measured by it is
// not measured worse.
func RunHTTP(ctx context.Context, address string, s Spec) (Result, error) {
	var conns []net.Conn
	closeAll := func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}
	defer func() { closeAll() }()
	callers := make([]exchange, s.Callers)
	for i := range callers {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return Result{}, err
		}
		conns = append(conns, conn)
		callers[i] = over(conn)
	}
	stop := context.AfterFunc(ctx, closeAll) // whoever waits for an answer ends
	defer stop()
	return drive(ctx, s, callers)
}

var errStatus = errors.New("an answer that is not 200 OK")

// over exchanges requests for bodies on one connection.
func over(conn net.Conn) exchange {
	in := bufio.NewReader(conn)
	var body []byte
	return func(_ context.Context, request []byte) ([]byte, error) {
		if _, err := conn.Write(request); err != nil {
			return nil, err
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return nil, err
		}
		if answer.StatusCode != http.StatusOK {
			return nil, errors.Join(fmt.Errorf("%w: %s", errStatus, answer.Status), answer.Body.Close())
		}
		body, err = appendAll(body[:0], answer.Body)
		return body, errors.Join(err, answer.Body.Close())
	}
}

// appendAll is io.ReadAll into memory that is there.
func appendAll(b []byte, r io.Reader) ([]byte, error) {
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}
