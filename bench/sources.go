package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// source appends the n-th request of a load, as on the wire. What a load repeats is
// encoded beforehand; what must be new each time is appended as a field, of which
// protobuf takes the last. It is safe for concurrent use.
type source func(b []byte, n uint64) []byte

// Fields of DecideRequest that are appended.
const (
	argumentsField = 11
	sessionField   = 15
	targetField    = 18
	keyField       = 20
)

func appendText(b []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), text)
}

// plainSource sends n different plain calls by turns.
func (at site) plainSource(n int) (source, error) {
	pool, err := encoded(n, at.plain)
	return func(b []byte, n uint64) []byte { return append(b, pool[n%uint64(len(pool))]...) }, err
}

// batchSource sends batches of plain calls by turns: pool is how many different ones.
func (at site) batchSource(pool, size int) (source, error) {
	calls, err := encoded(pool*size, at.plain)
	if err != nil {
		return nil, err
	}
	return func(b []byte, n uint64) []byte {
		first := int(n%uint64(pool)) * size
		for _, call := range calls[first : first+size] {
			b = protowire.AppendBytes(protowire.AppendTag(b, 1, protowire.BytesType), call)
		}
		return b
	}, nil
}

// Of a hundred calls of the mix, keyed carry an idempotency key, and repeated of them
// are the call before over again, with its key.
const (
	keyed    = 5
	repeated = 2
)

// mixSource sends the mix: n different calls by turns. A key is new in every turn, so
// that the share of repeats stays what it is however long a run takes.
func (at site) mixSource(n int) (source, error) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same calls in every run
	pool, err := encoded(n, func(i int) (*writv1.DecideRequest, error) { return at.varied(r, i) })
	if err != nil {
		return nil, err
	}
	return func(b []byte, n uint64) []byte {
		call := n
		switch place := n % 100; {
		case place >= keyed:
			return append(b, pool[n%uint64(len(pool))]...)
		case place >= keyed-repeated:
			call = n - repeated
		}
		b = append(b, pool[call%uint64(len(pool))]...)
		return appendText(b, keyField, "key-"+strconv.FormatUint(call, 10))
	}, nil
}

// worstSource sends calls of which nothing repeats: each has another session, target,
// arguments and amount, and they go round all tools of all releases. The rule that reads the
// amount makes an answer to one of no use to another.
func (at site) worstSource() (source, error) {
	uses := at.estate.allUses()
	pool, err := encoded(len(uses), func(i int) (*writv1.DecideRequest, error) {
		return at.callOf(i, uses[i].automation, uses[i].server, uses[i].tool, -1)
	})
	return func(b []byte, n uint64) []byte {
		b = append(b, pool[n%uint64(len(pool))]...)
		b = appendText(b, argumentsField, fmt.Sprintf(
			`{"path":"/srv/share/%[1]d","mode":"safe","amount":0.%012[1]d,"note":"%0200[1]d","tags":["t1","u1"]}`, n))
		b = appendText(b, sessionField, fmt.Sprintf("session-%d", n))
		return appendText(b, targetField, fmt.Sprintf("/srv/share/%d", n))
	}, err
}

func encoded(n int, call func(int) (*writv1.DecideRequest, error)) ([][]byte, error) {
	all := make([][]byte, n)
	for i := range all {
		c, err := call(i)
		if err != nil {
			return nil, err
		}
		if all[i], err = proto.Marshal(c); err != nil {
			return nil, err
		}
	}
	return all, nil
}
