package decisions

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"testing"
)

var updateVectors = flag.Bool("update-vectors", false, "write what the code says into the vectors of this package")

const vectorsFile = "../clients/vectors/request_digest.json"

// vector is one case of the language-neutral vectors; README.md beside them says what
// each field is.
type vector struct {
	ID      string        `json:"id"`
	Note    string        `json:"note"`
	Request vectorRequest `json:"request"`
	SameAs  string        `json:"same_as,omitempty"`
	Refused bool          `json:"refused,omitempty"`

	Canonical string `json:"canonical_arguments,omitempty"`
	Encoded   string `json:"encoded,omitempty"`
	Digest    string `json:"digest,omitempty"`
}

// vectorRequest is a request in the contract's own field names.
type vectorRequest struct {
	Workspace       string  `json:"workspace"`
	Automation      string  `json:"automation,omitempty"`
	Release         string  `json:"release,omitempty"`
	Stage           string  `json:"stage,omitempty"`
	Server          string  `json:"server,omitempty"`
	Method          string  `json:"method,omitempty"`
	Tool            string  `json:"tool,omitempty"`
	ArgumentsJSON   *string `json:"arguments_json,omitempty"`
	ArgumentsDigest string  `json:"arguments_digest,omitempty"`
	Process         string  `json:"process,omitempty"`
	Session         string  `json:"session,omitempty"`
	OnBehalfOf      string  `json:"on_behalf_of,omitempty"`
	Credential      string  `json:"credential,omitempty"`
	Target          string  `json:"target,omitempty"`
	Scope           *struct {
		Selection string `json:"selection"`
		Count     int64  `json:"count"`
	} `json:"scope,omitempty"`
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	ApprovalID     string `json:"approval_id,omitempty"`
}

func (v *vectorRequest) domain(t *testing.T) Request {
	r := Request{
		Workspace: v.Workspace, Automation: v.Automation, Release: v.Release, Stage: v.Stage, Server: v.Server, Method: v.Method,
		Tool: v.Tool, Process: v.Process, Session: v.Session, OnBehalfOf: v.OnBehalfOf, Credential: v.Credential, Target: v.Target,
		IdempotencyKey: v.IdempotencyKey, ApprovalID: v.ApprovalID,
	}
	if v.Scope != nil {
		r.Scope = &Scope{v.Scope.Selection, v.Scope.Count}
	}
	if v.ArgumentsJSON != nil {
		r.Arguments = Arguments{Kind: ArgumentsJSON, JSON: []byte(*v.ArgumentsJSON)}
	}
	if v.ArgumentsDigest != "" {
		digest, err := hex.DecodeString(v.ArgumentsDigest)
		if err != nil || len(digest) != len(Hash{}) {
			t.Fatalf("%q is no digest", v.ArgumentsDigest)
		}
		r.Arguments = Arguments{Kind: ArgumentsDigest, Digest: Hash(digest)}
	}
	return r
}

// R27: every case of the vectors. Two have one digest if and only if they say so.
func TestRequestDigestVectors(t *testing.T) {
	file, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(&vectors); err != nil {
		t.Fatal(err)
	}
	digests, first := map[string]string{}, map[string]string{}
	for i := range vectors {
		v := &vectors[i]
		v.check(t)
		if v.Refused {
			continue
		}
		digests[v.ID] = v.Digest
		if v.SameAs != "" && digests[v.SameAs] != v.Digest {
			t.Errorf("%s: the digest should be that of %s", v.ID, v.SameAs)
		}
		if twin := first[v.Digest]; twin != "" && v.SameAs == "" {
			t.Errorf("%s: the digest is that of %s", v.ID, twin)
		}
		first[v.Digest] = v.ID
	}
	if *updateVectors {
		writeVectors(t, vectors)
	}
}

// check compares what is computed with what stands in the file, or notes it there.
func (v *vector) check(t *testing.T) {
	r := v.Request.domain(t)
	encoded, err := r.appendDigested(nil)
	if v.Refused {
		if !errors.Is(err, ErrJSON) {
			t.Errorf("%s: %v, want a refusal", v.ID, err)
		}
		return
	}
	if err != nil || v.Note == "" {
		t.Errorf("%s: %v, note %q", v.ID, err, v.Note)
		return
	}
	digest, _ := r.Digest(nil)
	arguments, _ := r.Arguments.Canonical()
	if *updateVectors {
		v.Canonical, v.Encoded, v.Digest = string(arguments), hex.EncodeToString(encoded), hex.EncodeToString(digest[:])
	}
	if got := string(arguments); got != v.Canonical {
		t.Errorf("%s: arguments are %s, want %s", v.ID, got, v.Canonical)
	}
	if got := hex.EncodeToString(encoded); got != v.Encoded {
		t.Errorf("%s: encoded as\n%s, want\n%s", v.ID, got, v.Encoded)
	}
	if got := hex.EncodeToString(digest[:]); got != v.Digest {
		t.Errorf("%s: digest %s, want %s", v.ID, got, v.Digest)
	}
}

func writeVectors(t *testing.T, vectors []vector) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(vectors); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(vectorsFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
