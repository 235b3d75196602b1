package decisions

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// sampleRequest has something in every field that the digest covers.
func sampleRequest() Request {
	return Request{
		Workspace: "demo", Automation: "mail-triage", Release: "7", Server: "files", Method: "tools/call", Tool: "edit_file",
		Arguments: Arguments{Kind: ArgumentsJSON, JSON: []byte(`{"path":"a","n":1}`)},
		Process:   "worker-3", Session: "s-1", OnBehalfOf: "finance", Credential: "files-rw", Target: "a",
		Scope: &Scope{Selection: "*.md", Count: 3},
	}
}

func mustDigest(t *testing.T, r Request) Hash {
	t.Helper()
	digest, err := r.Digest(nil)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

func arguments(text string) Arguments { return Arguments{Kind: ArgumentsJSON, JSON: []byte(text)} }

// R27: any of these is another request.
func TestRequestDigestCovers(t *testing.T) {
	changes := map[string]func(*Request){
		"workspace":           func(r *Request) { r.Workspace = "other" },
		"automation":          func(r *Request) { r.Automation = "other" },
		"release":             func(r *Request) { r.Release = "8" },
		"server":              func(r *Request) { r.Server = "other" },
		"method":              func(r *Request) { r.Method = "resources/read" },
		"tool":                func(r *Request) { r.Tool = "move_file" },
		"process":             func(r *Request) { r.Process = "worker-4" },
		"session":             func(r *Request) { r.Session = "s-2" },
		"on behalf of":        func(r *Request) { r.OnBehalfOf = "" },
		"credential":          func(r *Request) { r.Credential = "files-ro" },
		"target":              func(r *Request) { r.Target = "b" },
		"text moved over":     func(r *Request) { r.Process, r.Session = "worker-3s", "-1" },
		"scope unsaid":        func(r *Request) { r.Scope = nil },
		"scope empty":         func(r *Request) { r.Scope = &Scope{} },
		"selection":           func(r *Request) { r.Scope = &Scope{"*.txt", 3} },
		"count":               func(r *Request) { r.Scope = &Scope{"*.md", 4} },
		"argument":            func(r *Request) { r.Arguments = arguments(`{"path":"b","n":1}`) },
		"argument's type":     func(r *Request) { r.Arguments = arguments(`{"path":"a","n":"1"}`) },
		"arguments empty":     func(r *Request) { r.Arguments = arguments(`{}`) },
		"arguments omitted":   func(r *Request) { r.Arguments = Arguments{} },
		"arguments' digest":   func(r *Request) { r.Arguments = Arguments{Kind: ArgumentsDigest, Digest: Hash{1}} },
		"arguments' digest 2": func(r *Request) { r.Arguments = Arguments{Kind: ArgumentsDigest, Digest: Hash{2}} },
	}
	seen := map[Hash]string{mustDigest(t, sampleRequest()): "nothing"}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		r := sampleRequest()
		changes[name](&r)
		digest := mustDigest(t, r)
		if twin, ok := seen[digest]; ok {
			t.Errorf("a change of %s and of %s give one digest", name, twin)
		}
		seen[digest] = name
	}
}

// R27: none of these is another request; they are judged afresh.
func TestRequestDigestLeavesOut(t *testing.T) {
	want := mustDigest(t, sampleRequest())
	for name, change := range map[string]func(*Request){
		"stage":           func(r *Request) { r.Stage = "general" },
		"fingerprint":     func(r *Request) { r.ToolsetFingerprint = "fp1:00" },
		"prose digest":    func(r *Request) { r.ProseDigest = "pd1:00" },
		"age":             func(r *Request) { r.ToolsetAge = time.Hour },
		"hints":           func(r *Request) { r.Hints.Destructive = SaidTrue },
		"idempotency key": func(r *Request) { r.IdempotencyKey = "k" },
		"approval id":     func(r *Request) { r.ApprovalID = "a" },
		"labels":          func(r *Request) { r.Labels = map[string]string{"a": "b"} },
		"key order":       func(r *Request) { r.Arguments = arguments(` {"n": 1.0, "path": "\u0061"}`) },
		"default method":  func(r *Request) { r.Method = "" },
	} {
		r := sampleRequest()
		change(&r)
		if mustDigest(t, r) != want {
			t.Errorf("a change of %s changes the digest", name)
		}
	}
}

// A field that is added to Request must be decided upon: covered or left out.
func TestRequestDigestKnowsEveryField(t *testing.T) {
	const known = 21
	if n := reflect.TypeFor[Request]().NumField(); n != known {
		t.Errorf("Request has %d fields, the tests above know %d: say in both where the new one belongs", n, known)
	}
}

func TestArgumentsRefused(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`[]`, "not an object"},
		{`null`, "not an object"},
		{``, "a JSON value"},
		{`{"a":1,"a":1}`, "arguments: JSON is refused at /a (byte 7): duplicate key"},
		{`{"a":"` + strings.Repeat("x", MaxArguments) + `"}`, "too many"},
	} {
		r := Request{Arguments: arguments(test.in)}
		if _, err := r.Digest(nil); !errors.Is(err, ErrJSON) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.30q: %.200v, want %q", test.in, err, test.want)
		}
	}
}
