package main

import (
	"bytes"
	"context"
	"path/filepath"

	"google.golang.org/protobuf/encoding/protodelim"
)

// site is what one service serves, and where.
type site struct {
	data, catalogue, policy string
	estate                  estate
	// ids are the tool lists' identities, by server.
	ids []identity
}

// prepare writes an estate below dir.
func prepare(ctx context.Context, s settings, dir string, e estate) (site, error) {
	at := site{
		data:      filepath.Join(dir, "data"),
		catalogue: filepath.Join(dir, "catalogue"),
		estate:    e,
	}
	var err error
	if at.ids, err = writeCatalogue(ctx, s.writ, at.catalogue, e); err != nil {
		return site{}, err
	}
	at.policy, err = writePolicy(ctx, s.writ, filepath.Join(dir, "policy"), e)
	return at, err
}

// writeCalls writes n plain calls into a file, each behind its length, as ghz takes
// them.
func (at site) writeCalls(file string, n int) error {
	var b bytes.Buffer
	for i := range n {
		call, err := at.plain(i)
		if err != nil {
			return err
		}
		if _, err := protodelim.MarshalTo(&b, call); err != nil {
			return err
		}
	}
	return write(file, b.Bytes())
}
