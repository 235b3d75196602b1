package grpcapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/catalog"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
	"github.com/writ-dev/writ/rego"
)

var update = flag.Bool("update", false, "write the expected answers anew")

// A scenario is a conversation with a real service over a real connection: files
// named STEP.decide.json (batch, observe, report, show) are what is sent, in order;
// STEP.answer is what came back, and STEP.entry what the log holds of it. Files
// below catalog/ and policy/ replace the sample and the default.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, archive)
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want := map[string]string{}
			for _, f := range archive.Files {
				want[f.Name] = string(f.Data)
			}
			for _, f := range got.Files {
				if want[f.Name] != string(f.Data) {
					t.Errorf("%s:\n got %s\nwant %s\n(go test ./server/grpcapi -update writes it)", f.Name, f.Data, want[f.Name])
				}
				delete(want, f.Name)
			}
			for name := range want {
				t.Errorf("%s: no step gives it", name)
			}
		})
	}
}

// play sends every step and returns the archive with the answers that came.
func play(t *testing.T, archive *txtar.Archive) *txtar.Archive {
	t.Helper()
	s := startScenario(t, archive)
	out := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		switch {
		case strings.HasSuffix(f.Name, ".answer"), strings.HasSuffix(f.Name, ".entry"):
			continue
		case !strings.HasSuffix(f.Name, ".json") || strings.Contains(f.Name, "/"):
			out.Files = append(out.Files, f)
			continue
		}
		out.Files = append(out.Files, f)
		parts := strings.Split(f.Name, ".")
		before := s.log.Size()
		answer := s.send(t, parts[1], f.Data)
		out.Files = append(out.Files, txtar.File{Name: parts[0] + ".answer", Data: answer})
		for sequence := before; sequence < s.log.Size(); sequence++ {
			record, err := s.log.Entry(sequence)
			if err != nil {
				t.Fatal(err)
			}
			out.Files = append(out.Files, txtar.File{Name: parts[0] + ".entry", Data: s.readable(record.Entry)})
			if parts[1] == "batch" {
				break // the others are alike
			}
		}
	}
	return out
}

func startScenario(t *testing.T, archive *txtar.Archive) *service {
	t.Helper()
	sample, err := catalog.Sample()
	if err != nil {
		t.Fatal(err)
	}
	all, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, below(all, "catalog", sample), below(all, "policy", rego.Default()))
}

func below(all fs.FS, dir string, otherwise fs.FS) fs.FS {
	if _, err := fs.Stat(all, dir); err != nil {
		return otherwise
	}
	sub, err := fs.Sub(all, dir)
	if err != nil {
		return otherwise
	}
	return sub
}

// send calls the method of the contract that a step names.
func (s *service) send(t *testing.T, method string, body []byte) []byte {
	t.Helper()
	switch method {
	case "decide":
		return exchange(t, s, body, &writv1.DecideRequest{}, s.decisions.Decide)
	case "batch":
		return exchange(t, s, body, &writv1.BatchDecideRequest{}, s.decisions.BatchDecide)
	case "report":
		body = bytes.ReplaceAll(body, []byte("LOG-"), []byte(s.log.LogID()[:8]+"-"))
		return exchange(t, s, body, &writv1.ReportRequest{}, s.decisions.Report)
	case "observe":
		return exchange(t, s, body, &writv1.ObserveRequest{}, s.toolsets.Observe)
	}
	t.Fatalf("no method %q: expected decide, batch, report or observe", method)
	return nil
}

func exchange[Q, A proto.Message](t *testing.T, s *service, body []byte, q Q, call unary[Q, A]) []byte {
	t.Helper()
	if err := protojson.Unmarshal(body, q); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	answer, err := call(t.Context(), q)
	if err != nil {
		return []byte(s.mask(status.Code(err).String()+": "+status.Convert(err).Message()) + "\n")
	}
	return s.readable(answer)
}

// readable is indented JSON without what differs from run to run.
func (s *service) readable(m proto.Message) []byte {
	raw, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
	if err != nil {
		return []byte(err.Error())
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return []byte(err.Error())
	}
	return []byte(s.mask(indented.String()) + "\n")
}

var masks = []struct {
	volatile *regexp.Regexp
	instead  string
}{
	{regexp.MustCompile(`"(leaf_hash|[a-z_]+_digest)": "[A-Za-z0-9+/]{43}="`), `"$1": "32 bytes"`},
	{regexp.MustCompile(`"(time_unix_nano)": "\d+"`), `"$1": "now"`},
	{regexp.MustCompile(`"(permit_expires_at)": "[^"]+"`), `"$1": "later"`},
	{regexp.MustCompile(`"(policy_revision|catalog_revision)": "sha256:[0-9a-f]{64}"`), `"$1": "sha256:…"`},
	{regexp.MustCompile(`(fp1|pd1):([0-9a-f]{8})[0-9a-f]{56}`), `$1:$2…`},
}

func (s *service) mask(text string) string {
	text = strings.ReplaceAll(text, s.log.LogID(), "LOG")
	text = strings.ReplaceAll(text, s.log.LogID()[:8], "LOG")
	for _, m := range masks {
		text = m.volatile.ReplaceAllString(text, m.instead)
	}
	return text
}
