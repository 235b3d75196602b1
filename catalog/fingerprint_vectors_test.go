package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
)

var updateVectors = flag.Bool("update-vectors", false, "write what the code says into the vectors of this package")

const vectorsFile = "../clients/vectors/fingerprint.json"

// vector is one case of the language-neutral vectors; README.md beside them says what
// each field is.
type vector struct {
	ID     string   `json:"id"`
	Note   string   `json:"note"`
	Pages  []string `json:"pages,omitempty"`
	Repeat *repeat  `json:"repeat,omitempty"`

	SameFingerprintAs string `json:"same_fingerprint_as,omitempty"`
	SameProseAs       string `json:"same_prose_as,omitempty"`
	DiffersFrom       string `json:"differs_from,omitempty"`
	ProseDiffersFrom  string `json:"prose_differs_from,omitempty"`
	Refused           bool   `json:"refused,omitempty"`

	Canonical   string `json:"canonical,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Prose       string `json:"prose,omitempty"`
	ProseDigest string `json:"prose_digest,omitempty"`
}

// repeat stands for a bare array of many tools.
type repeat struct {
	Count int    `json:"count"`
	Item  string `json:"item"`
}

func (v *vector) input() [][]byte {
	var pages [][]byte
	for _, page := range v.Pages {
		pages = append(pages, []byte(page))
	}
	if v.Repeat != nil {
		items := make([]string, v.Repeat.Count)
		for i := range items {
			items[i] = strings.ReplaceAll(v.Repeat.Item, "#", strconv.Itoa(i))
		}
		pages = append(pages, []byte("["+strings.Join(items, ",")+"]"))
	}
	return pages
}

func readVectors(t *testing.T) []vector {
	t.Helper()
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
	return vectors
}

// R13, R15, R16: every case of the vectors.
func TestFingerprintVectors(t *testing.T) {
	vectors := readVectors(t)
	byID := map[string]*vector{}
	for i := range vectors {
		v := &vectors[i]
		if byID[v.ID] != nil || v.Note == "" {
			t.Errorf("%s: an id names one vector, and a note says what it is for", v.ID)
		}
		byID[v.ID] = v
		ts, err := ParseToolSet(v.input()...)
		switch {
		case v.Refused && !errors.Is(err, ErrToolSet):
			t.Errorf("%s: %v, want a refusal", v.ID, err)
		case !v.Refused && err != nil:
			t.Errorf("%s: %v", v.ID, err)
		case !v.Refused:
			v.check(t, ts)
		}
	}
	for i := range vectors {
		vectors[i].compare(t, byID)
	}
	if *updateVectors {
		writeVectors(t, vectors)
	}
}

// check compares what is computed with what stands in the file, or notes it there.
func (v *vector) check(t *testing.T, ts *ToolSet) {
	got := vector{Fingerprint: ts.Fingerprint, ProseDigest: ts.ProseDigest}
	if v.Repeat == nil {
		got.Canonical, got.Prose = string(ts.ContractDocument()), string(ts.ProseDocument())
	}
	want := vector{Canonical: v.Canonical, Fingerprint: v.Fingerprint, Prose: v.Prose, ProseDigest: v.ProseDigest}
	if *updateVectors {
		v.Canonical, v.Fingerprint, v.Prose, v.ProseDigest = got.Canonical, got.Fingerprint, got.Prose, got.ProseDigest
		return
	}
	if got.Canonical != want.Canonical || got.Fingerprint != want.Fingerprint {
		t.Errorf("%s: contract\n got %s %s\nwant %s %s", v.ID, got.Fingerprint, got.Canonical, want.Fingerprint, want.Canonical)
	}
	if got.Prose != want.Prose || got.ProseDigest != want.ProseDigest {
		t.Errorf("%s: prose\n got %s %s\nwant %s %s", v.ID, got.ProseDigest, got.Prose, want.ProseDigest, want.Prose)
	}
}

// compare proves what a vector says of itself and another.
func (v *vector) compare(t *testing.T, byID map[string]*vector) {
	for _, claim := range []struct {
		other string
		same  bool
		value func(*vector) string
	}{
		{v.SameFingerprintAs, true, func(v *vector) string { return v.Fingerprint }},
		{v.SameProseAs, true, func(v *vector) string { return v.ProseDigest }},
		{v.DiffersFrom, false, func(v *vector) string { return v.Fingerprint }},
		{v.ProseDiffersFrom, false, func(v *vector) string { return v.ProseDigest }},
	} {
		if claim.other == "" {
			continue
		}
		other := byID[claim.other]
		if other == nil || (claim.value(v) == claim.value(other)) != claim.same {
			t.Errorf("%s: same as %s should be %v", v.ID, claim.other, claim.same)
		}
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
