package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/catalog"
	writ "github.com/writ-dev/writ/clients/go"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// planted is a secret that a test sends at one place, so that finding it says which. It
// looks different in JSON than raw.
func planted(place string) string { return "PLANTED " + place + ` "a\b" 7f3a9c` }

// readsAndMasks reads some of what is planted, and masks some of that.
var readsAndMasks = map[string]string{
	"writ/data.yaml": `
stages: [rehearsal, supervised, limited, general]
mask: ["arguments.to[_]", "arguments.body", labels.customer, target]
`,
	"writ/rules.rego": `package writ

verdict contains {"outcome": "RUN", "code": "read", "reason": "All was read."} if {
	count(object.get(input.arguments, "to", [])) < 20
	object.get(input.arguments, "subject", "") != ""
	object.get(input.arguments, "body", "") != "x"
	input.labels.customer != ""
	input.labels.team != ""
	input.target != ""
}

verdict contains {"outcome": "REFUSE", "code": "quoted", "reason": sprintf("Not to %v.", [input.target])} if input.session == "quote"
`,
}

// R35: of what is sent, files and words of the service hold what the policy reads and
// does not mask, and nothing else, in no spelling.
func TestSecretsStayOut(t *testing.T) {
	for name, c := range map[string]struct {
		policy map[string]string
		shown  []string
	}{
		// What changed of a tool's inputs is said in words (R14): it is of the list.
		"the default policy": {nil, []string{"default"}},
		"a reading policy":   {readsAndMasks, []string{"default", "label team", "subject"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := startPlanted(t, c.policy)
			s.send(t)
			s.stop(t)
			if got := s.found(t); !slices.Equal(got, c.shown) {
				t.Errorf("found are %q, expected %q", got, c.shown)
			}
		})
	}
}

// R35: once erased, what was masked can't be decrypted: its key is nowhere.
func TestErasedSecretsAreGone(t *testing.T) {
	s := startPlanted(t, readsAndMasks)
	answer := s.decide(t, s.call())
	before := readFileOf(t, filepath.Join(s.flags.Data+".keys", "items.keys"))
	key := before[64+8 : 64+40]
	if where := s.files(t, spellings(string(key))); len(where) != 1 {
		t.Fatalf("the key is in %q: the search below proves nothing", where)
	}
	client := writv1.NewOperatorServiceClient(dialTo(t, "unix:"+filepath.Join(s.flags.Data, operatorSocket)).Conn())
	_, err := client.Erase(t.Context(), &writv1.EraseRequest{By: &writv1.EraseRequest_DecisionId{DecisionId: answer.GetDecisionId()}})
	if err != nil {
		t.Fatal(err)
	}
	s.stop(t)
	if where := s.files(t, spellings(string(key))); len(where) > 0 {
		t.Errorf("the key is in %q", where)
	}
	if got := s.found(t); !slices.Equal(got, []string{"label team", "subject"}) {
		t.Errorf("found are %q", got)
	}
}

// plantedService is a service, all that it said, and all that it answered.
type plantedService struct {
	running *service
	flags   serveFlags
	said    *locked
	client  *writ.Client
	answers bytes.Buffer
	places  []string
	content map[string][]byte // of files that were searched
}

// locked is a buffer for several writers.
type locked struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(b)
}

func startPlanted(t *testing.T, policy map[string]string) *plantedService {
	t.Helper()
	sample, err := catalog.Sample()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &plantedService{said: &locked{}, content: map[string][]byte{}, flags: serveFlags{
		Listen: "127.0.0.1:0", Data: filepath.Join(dir, "data"), Reserve: 1, LogLevel: "debug",
	}}
	if policy != nil {
		s.flags.Policy = filepath.Join(dir, "policy")
		for name, content := range policy {
			file := filepath.Join(s.flags.Policy, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.running, err = startService(t.Context(), s.flags, sample, streams{out: s.said, err: s.said}); err != nil {
		t.Fatal(err)
	}
	s.client = dialTo(t, s.running.dialAddress())
	return s
}

func dialTo(t *testing.T, address string) *writ.Client {
	t.Helper()
	client, err := writ.Dial(address, writ.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// stop ends the service; what was searched so far may have changed.
func (s *plantedService) stop(t *testing.T) {
	t.Helper()
	clear(s.content)
	if err := s.running.stop(); err != nil {
		t.Fatal(err)
	}
}

// plant notes a place, and returns its secret.
func (s *plantedService) plant(place string) string {
	if !slices.Contains(s.places, place) {
		s.places = append(s.places, place)
	}
	return planted(place)
}

// call plants a secret wherever a call can hold one.
func (s *plantedService) call() *writv1.DecideRequest {
	arguments, err := json.Marshal(map[string]any{
		"to": []string{s.plant("to")}, "subject": s.plant("subject"), "body": s.plant("body"), "bcc": []string{s.plant("bcc")},
	})
	if err != nil {
		panic(err)
	}
	return &writv1.DecideRequest{
		Workspace: "demo", Automation: "mail-triage", Release: "1.4", Stage: "limited", Server: "mail", Tool: "send_message",
		ToolsetFingerprint: "fp1:e03d152b285edd392def7eca39289047fc2993e8c31d7e15c1fcb9138038ad80",
		Arguments:          &writv1.DecideRequest_ArgumentsJson{ArgumentsJson: string(arguments)},
		Target:             s.plant("target"), Scope: &writv1.Scope{Selection: s.plant("scope"), Count: 3},
		Labels:         map[string]string{"customer": s.plant("label customer"), "team": s.plant("label team"), "other": s.plant("label other"), s.plant("label key"): "x"},
		IdempotencyKey: s.plant("idempotency key"),
	}
}

func (s *plantedService) decide(t *testing.T, call *writv1.DecideRequest) *writv1.DecideResponse {
	t.Helper()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+s.plant("header"), "x-secret-bin", s.plant("binary header"))
	answer, err := writv1.NewDecisionServiceClient(s.client.Conn()).Decide(ctx, call)
	s.keep(answer, err)
	return answer
}

// keep notes what came back. Who sent a mistake may read of it in the error.
func (s *plantedService) keep(answer proto.Message, err error) {
	if err == nil {
		raw, _ := proto.Marshal(answer)
		s.answers.Write(raw)
	}
}

// send plants in calls that are judged, refused, repeated, large and malformed, in
// reports, and in a tool list.
func (s *plantedService) send(t *testing.T) {
	first := s.decide(t, s.call())
	if first == nil {
		t.Fatal("the first call has no answer, so nothing was kept that could be found")
	}
	s.decide(t, s.call()) // a repeat
	for _, change := range []func(*writv1.DecideRequest){
		func(c *writv1.DecideRequest) { c.Session = "quote" },
		func(c *writv1.DecideRequest) {
			c.Arguments = s.arguments(`{"to":[], "subject":5, "` + jsonText(s.plant("argument name")) + `":"` + jsonText(s.plant("misfit")) + `"}`)
		},
		func(c *writv1.DecideRequest) {
			c.Arguments = s.arguments(`{"to":["` + jsonText(s.plant("long to")) + strings.Repeat("x", 40_000) + `"], "subject":"s", "body":"` + jsonText(s.plant("long body")) + strings.Repeat("x", 40_000) + `"}`)
		},
		func(c *writv1.DecideRequest) {
			c.Arguments = s.arguments(`{"` + jsonText(s.plant("malformed")) + `":` + s.plant("malformed"))
		},
		func(c *writv1.DecideRequest) {
			key := jsonText(s.plant("duplicate"))
			c.Arguments = s.arguments(`{"` + key + `":1,"` + key + `":2}`)
		},
		func(c *writv1.DecideRequest) { c.Target = s.plant("control") + "\x01" },
		func(c *writv1.DecideRequest) { c.Target = s.plant("too long") + strings.Repeat("x", 2000) },
		func(c *writv1.DecideRequest) { c.Labels = map[string]string{s.plant("bad label key") + "\x01": "x"} },
		func(c *writv1.DecideRequest) { c.Labels = map[string]string{s.plant("bad label"): "x\x01"} },
		func(c *writv1.DecideRequest) { c.ToolsetFingerprint = "fp1:" + strings.Repeat("0", 64) },
		func(c *writv1.DecideRequest) { c.ToolsetFingerprint = s.plant("fingerprint") },
	} {
		call := s.call()
		call.IdempotencyKey = ""
		change(call)
		s.decide(t, call)
	}
	report, err := writv1.NewDecisionServiceClient(s.client.Conn()).Report(t.Context(), &writv1.ReportRequest{
		DecisionId: first.GetDecisionId(), Result: writv1.Result_RESULT_SUCCEEDED, FinalTarget: s.plant("final target"),
	})
	s.keep(report, err)
	s.observe(t)
	s.readAll(t)
}

func (s *plantedService) arguments(text string) *writv1.DecideRequest_ArgumentsJson {
	return &writv1.DecideRequest_ArgumentsJson{ArgumentsJson: text}
}

// observe shows a list with secrets in its prose, and calls with its fingerprint.
func (s *plantedService) observe(t *testing.T) {
	t.Helper()
	list := fmt.Sprintf(`{"tools":[{"name":"send_message","description":"%s","inputSchema":{"type":"object","description":"%s","properties":{"to":{"type":"string","default":"%s"}}}}]}`,
		jsonText(s.plant("description")), jsonText(s.plant("schema description")), jsonText(s.plant("default")))
	seen, err := writv1.NewToolSetServiceClient(s.client.Conn()).Observe(t.Context(), &writv1.ObserveRequest{
		Workspace: "demo", Server: "mail", Pages: [][]byte{[]byte(list)},
	})
	if err != nil {
		t.Fatal(err)
	}
	call := s.call()
	call.IdempotencyKey, call.ToolsetFingerprint = "", seen.GetToolsetFingerprint()
	s.decide(t, call)
}

// readAll reads the whole log through the service.
func (s *plantedService) readAll(t *testing.T) {
	t.Helper()
	client := writv1.NewLogServiceClient(s.client.Conn())
	for sequence := range s.running.ledger.Size() {
		e, err := client.GetEntry(t.Context(), &writv1.GetEntryRequest{By: &writv1.GetEntryRequest_Sequence{Sequence: sequence}}, grpc.MaxCallRecvMsgSize(64<<20))
		if err != nil {
			t.Fatal(err)
		}
		s.keep(e, nil)
	}
}

// found lists the places whose secrets are in a file of the log, in what the service
// said, or in an answer.
func (s *plantedService) found(t *testing.T) (places []string) {
	t.Helper()
	for _, place := range s.places {
		needles := spellings(planted(place))
		where := s.files(t, needles)
		for name, text := range map[string][]byte{"the service's words": s.said.Bytes(), "an answer": s.answers.Bytes()} {
			if holds(text, needles) {
				where = append(where, name)
			}
		}
		if len(where) > 0 {
			places = append(places, place)
			t.Logf("%s: in %q", place, where)
		}
	}
	slices.Sort(places)
	return places
}

// files lists what holds one of the needles below the data and the key directory.
func (s *plantedService) files(t *testing.T, needles [][]byte) (found []string) {
	t.Helper()
	for _, dir := range []string{s.flags.Data, s.flags.Data + ".keys"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if s.content[path] == nil {
				s.content[path] = bytes.TrimRight(readFileOf(t, path), "\x00")
			}
			if holds(s.content[path], needles) {
				found = append(found, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func readFileOf(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func holds(text []byte, needles [][]byte) bool {
	return slices.ContainsFunc(needles, func(n []byte) bool { return bytes.Contains(text, n) })
}

// spellings are how a secret may stand in a file: raw, in JSON, in hex, and in base64 at
// each of its three alignments.
func spellings(secret string) [][]byte {
	raw := []byte(secret)
	all := [][]byte{raw, []byte(jsonText(secret)), []byte(strings.Trim(fmt.Sprintf("%+q", secret), `"`)), []byte(hex.EncodeToString(raw)), []byte(strings.ToUpper(hex.EncodeToString(raw)))}
	for shift := range 3 {
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			encoded := encoding.EncodeToString(append(make([]byte, shift), raw...))
			// The digits at both ends depend on what stands beside the secret.
			all = append(all, []byte(encoded[(shift*8+5)/6:len(raw)*8/6-1]))
		}
	}
	return all
}

// jsonText is a secret as JSON writes it, without the quotes.
func jsonText(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(quoted[1 : len(quoted)-1])
}

// The search finds each spelling, or it would prove nothing.
func TestSpellings(t *testing.T) {
	secret := planted("x")
	for _, text := range []string{
		"a" + secret, fmt.Sprintf("%q", secret), "{" + string(must(json.Marshal(secret))), fmt.Sprintf("%x", secret), fmt.Sprintf("%X", "ab"+secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte("a" + secret + "b")),
		base64.RawStdEncoding.EncodeToString([]byte("ab" + secret + "cde")), base64.StdEncoding.EncodeToString([]byte("abc" + secret + "d")),
	} {
		if !holds([]byte(text), spellings(secret)) {
			t.Errorf("not found in %q", text)
		}
	}
	if holds([]byte(planted("y")), spellings(secret)) {
		t.Error("another secret is found")
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
