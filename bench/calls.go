package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/types/known/durationpb"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// site is what one bench serves and sends.
type site struct {
	data, catalogue string
	// calls is the file of all calls, as ghz takes them.
	calls string
	// id is the tool list's.
	id    identity
	tools int
}

// prepare writes catalogue and calls below dir.
func prepare(ctx context.Context, s settings, dir string) (site, error) {
	at := site{
		data:      filepath.Join(dir, "data"),
		catalogue: filepath.Join(dir, "catalogue"),
		calls:     filepath.Join(dir, "calls"),
		tools:     s.Tools,
	}
	var err error
	if at.id, err = writeCatalogue(ctx, s.writ, at.catalogue, s.Tools); err != nil {
		return site{}, err
	}
	return at, writeCalls(at, s.Requests)
}

// writeCalls writes n calls, each behind its length.
func writeCalls(at site, n int) error {
	var b bytes.Buffer
	for i := range n {
		call, err := at.call(i)
		if err != nil {
			return err
		}
		if _, err := protodelim.MarshalTo(&b, call); err != nil {
			return err
		}
	}
	return write(at.calls, b.Bytes())
}

// call makes the i-th call. No two are the same: tool, stage, session, target and
// arguments (about 300 bytes) vary; one in a hundred comes with the fingerprint of
// another list and is refused.
func (at site) call(i int) (*writv1.DecideRequest, error) {
	path := fmt.Sprintf("/srv/share/%02d/%04d/report-%d.md", i%37, i%1009, i)
	arguments, err := json.Marshal(map[string]any{
		"path":   path,
		"amount": i*7 + 1,
		"mode":   []string{"fast", "safe", "dry"}[i%3],
		"note":   fmt.Sprintf("request %d: %s", i, strings.Repeat("lorem ipsum ", 14)),
		"tags":   []string{fmt.Sprintf("t%d", i%11), fmt.Sprintf("u%d", i%13)},
	})
	if err != nil {
		return nil, err
	}
	fingerprint := at.id.Fingerprint
	if i%100 == 99 {
		fingerprint = "fp1:" + strings.Repeat("0", 64)
	}
	stage := stages()[(i/7)%len(stages())]
	return &writv1.DecideRequest{
		Workspace:          workspace,
		Automation:         automation,
		Release:            stage,
		Stage:              stage,
		Server:             connection,
		Method:             "tools/call",
		Tool:               toolName(i % at.tools),
		ToolsetFingerprint: fingerprint,
		ProseDigest:        at.id.ProseDigest,
		ToolsetAge:         durationpb.New(time.Duration(i%60) * time.Second),
		Arguments:          &writv1.DecideRequest_ArgumentsJson{ArgumentsJson: string(arguments)},
		Process:            fmt.Sprintf("worker-%d", i%29),
		Session:            fmt.Sprintf("session-%d", i%101),
		OnBehalfOf:         fmt.Sprintf("person-%d", i%53),
		Credential:         "share-rw",
		Target:             path,
	}, nil
}
