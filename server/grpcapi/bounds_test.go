package grpcapi

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

func valid() *writv1.DecideRequest {
	return &writv1.DecideRequest{Workspace: "w", Tool: "t"}
}

// Every text field of the contract is bounded, and refuses what hides in text; the
// error names it. A field that is added without a bound fails here.
func TestEveryTextFieldIsBounded(t *testing.T) {
	fields := valid().ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if f.Kind() != protoreflect.StringKind || f.IsMap() {
			continue
		}
		for what, value := range map[string]string{
			"over-long": strings.Repeat("x", 2<<20),
			"control":   "a\x1b[31mb",
			"newline":   "a\nb",
			"C1":        "a\u009b31mb",
			"bidi":      "a\u202eb",
			"zero":      "a\u200bb",
			"tag":       "a\U000e0041b",
			"line":      "a\u2028b",
		} {
			if f.Name() == "arguments_json" && what != "over-long" {
				continue // JSON may hold what JSON allows; the canonical parser checks it
			}
			m := valid()
			m.ProtoReflect().Set(f, protoreflect.ValueOfString(value))
			err := decideBounds(m)
			if !errors.Is(err, errBounds) || !strings.Contains(err.Error(), string(f.Name())+":") {
				t.Errorf("%s, %s: %v; want an error that names the field", f.Name(), what, err)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*writv1.DecideRequest)
		field  string // that the error names; empty: valid
	}{
		{"the least", func(*writv1.DecideRequest) {}, ""},
		{"no workspace", func(m *writv1.DecideRequest) { m.Workspace = "" }, "workspace"},
		{"workspace of 128", func(m *writv1.DecideRequest) { m.Workspace = strings.Repeat("w", 128) }, ""},
		{"workspace of 129", func(m *writv1.DecideRequest) { m.Workspace = strings.Repeat("w", 129) }, "workspace"},
		{"a tools/call without tool", func(m *writv1.DecideRequest) { m.Tool = "" }, "tool"},
		{"a resource without tool", func(m *writv1.DecideRequest) { m.Tool, m.Method = "", "resources/read" }, ""},
		{"a fingerprint", func(m *writv1.DecideRequest) { m.ToolsetFingerprint = "fp1:" + strings.Repeat("0a", 32) }, ""},
		{"a fingerprint that was cut", func(m *writv1.DecideRequest) { m.ToolsetFingerprint = "fp1:" + strings.Repeat("0a", 31) }, "toolset_fingerprint"},
		{"a fingerprint in capitals", func(m *writv1.DecideRequest) { m.ToolsetFingerprint = "fp1:" + strings.Repeat("0A", 32) }, "toolset_fingerprint"},
		{"a fingerprint without its kind", func(m *writv1.DecideRequest) { m.ToolsetFingerprint = strings.Repeat("0a", 32) }, "toolset_fingerprint"},
		{"a fingerprint for a prose digest", func(m *writv1.DecideRequest) { m.ProseDigest = "fp1:" + strings.Repeat("0a", 32) }, "prose_digest"},
		{"negative age", func(m *writv1.DecideRequest) { m.ToolsetAge = durationpb.New(-time.Second) }, "toolset_age"},
		{"an age of eleven years", func(m *writv1.DecideRequest) { m.ToolsetAge = durationpb.New(11 * 365 * 24 * time.Hour) }, "toolset_age"},
		{"an age that is none", func(m *writv1.DecideRequest) { m.ToolsetAge = &durationpb.Duration{Seconds: 1, Nanos: -1} }, "toolset_age"},
		{"a short digest", func(m *writv1.DecideRequest) {
			m.Arguments = &writv1.DecideRequest_ArgumentsDigest{ArgumentsDigest: make([]byte, 31)}
		}, "arguments_digest"},
		{"an empty digest", func(m *writv1.DecideRequest) {
			m.Arguments = &writv1.DecideRequest_ArgumentsDigest{}
		}, "arguments_digest"},
		{"a scope without selection", func(m *writv1.DecideRequest) { m.Scope = &writv1.Scope{Count: 1} }, "scope.selection"},
		{"a negative count", func(m *writv1.DecideRequest) { m.Scope = &writv1.Scope{Selection: "s", Count: -1} }, "scope.count"},
		{"a count beyond all", func(m *writv1.DecideRequest) { m.Scope = &writv1.Scope{Selection: "s", Count: 1e12 + 1} }, "scope.count"},
		{"a label without key", func(m *writv1.DecideRequest) { m.Labels = map[string]string{"": "v"} }, "labels key"},
		{"a long label", func(m *writv1.DecideRequest) { m.Labels = map[string]string{"k": strings.Repeat("v", 257)} }, "labels value"},
		{"too many labels", func(m *writv1.DecideRequest) {
			m.Labels = map[string]string{}
			for i := range 33 {
				m.Labels[strings.Repeat("k", i+1)] = "v"
			}
		}, "labels"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := valid()
			c.change(m)
			err := decideBounds(m)
			if c.field == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if !errors.Is(err, errBounds) || !strings.Contains(err.Error(), c.field+":") {
				t.Errorf("got %v, want an error that names %s", err, c.field)
			}
		})
	}
}

// The contract writes a bound beside every field of every request.
func TestEveryRequestFieldStatesItsBounds(t *testing.T) {
	flags := map[protoreflect.FullName]bool{ // any value of these is allowed
		"writ.v1.EntryFilter.all_kinds": true, "writ.v1.ListEntriesRequest.oldest_first": true, "writ.v1.ReportRequest.result": true,
		"writ.v1.DecideRequest.hints": true, "writ.v1.DecideRequest.scope": true,
	}
	for _, m := range []proto.Message{
		&writv1.DecideRequest{}, &writv1.Scope{}, &writv1.BatchDecideRequest{}, &writv1.ReportRequest{},
		&writv1.GetEntryRequest{}, &writv1.ListEntriesRequest{}, &writv1.ObserveRequest{},
		&writv1.EntryFilter{}, &writv1.FollowEntriesRequest{},
	} {
		d := m.ProtoReflect().Descriptor()
		source, err := os.ReadFile("../../proto/" + d.ParentFile().Path())
		if err != nil {
			t.Fatal(err)
		}
		_, body, found := strings.Cut(string(source), "\nmessage "+string(d.Name())+" {")
		if !found {
			t.Fatalf("%s is not in its file", d.FullName())
		}
		for i := range d.Fields().Len() {
			f := d.Fields().Get(i)
			comment := regexp.MustCompile(`((?:[ ]*//[^\n]*\n)+)[^\n/]* ` + string(f.Name()) + ` = \d+;`).FindStringSubmatch(body)
			if !flags[f.FullName()] && (comment == nil || !strings.Contains(comment[1], "Bounds:")) {
				t.Errorf("%s: its comment states no bounds", f.FullName())
			}
		}
	}
}
