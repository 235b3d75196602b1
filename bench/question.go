package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// input is what Writ's default policy would be asked about a call (docs/policy.md),
// which over OPA's own interface the caller has to say.
type input struct {
	Workspace  string          `json:"workspace"`
	Automation string          `json:"automation"`
	Release    string          `json:"release"`
	Stage      string          `json:"stage"`
	Server     string          `json:"server"`
	Method     string          `json:"method"`
	Tool       string          `json:"tool"`
	Process    string          `json:"process"`
	OnBehalfOf string          `json:"on_behalf_of"`
	Session    string          `json:"session"`
	Credential string          `json:"credential"`
	Target     string          `json:"target"`
	Traits     traits          `json:"traits"`
	Scope      map[string]bool `json:"scope"`
	Arguments  json.RawMessage `json:"arguments"`
}

// body asks OPA about a call.
func body(call *writv1.DecideRequest) ([]byte, error) {
	tool, err := strconv.Atoi(toolNumber.FindString(call.GetTool()))
	if err != nil {
		return nil, fmt.Errorf("tool %q: %w", call.GetTool(), err)
	}
	return json.Marshal(map[string]input{"input": {
		Workspace: call.GetWorkspace(), Automation: call.GetAutomation(), Release: call.GetRelease(), Stage: call.GetStage(),
		Server: call.GetServer(), Method: call.GetMethod(), Tool: call.GetTool(), Process: call.GetProcess(),
		OnBehalfOf: call.GetOnBehalfOf(), Session: call.GetSession(), Credential: call.GetCredential(), Target: call.GetTarget(),
		Traits: traitsOf(tool), Scope: map[string]bool{"stated": false}, Arguments: json.RawMessage(call.GetArgumentsJson()),
	}})
}

// verdictPath is where the default policy's verdicts are (docs/policy.md).
const verdictPath = "/v1/data/writ/verdict"

// ask returns the outcome that OPA gives for one call.
func (o *opaServer) ask(ctx context.Context, call *writv1.DecideRequest) (int, error) {
	content, err := body(call)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+o.address+verdictPath, bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	said, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return 0, err
	}
	return verdictKind(said)
}

var toolNumber = regexp.MustCompile(`\d+$`)

// opaSource asks about the plain calls by turns, in whole HTTP requests.
func (at site) opaSource(n int) (source, error) {
	pool := make([][]byte, n)
	for i := range pool {
		call, err := at.plain(i)
		if err != nil {
			return nil, err
		}
		content, err := body(call)
		if err != nil {
			return nil, err
		}
		pool[i] = fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: opa\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			verdictPath, len(content), content)
	}
	return func(b []byte, n uint64) []byte { return append(b, pool[n%uint64(len(pool))]...) }, nil
}
