package decisions

import (
	"encoding/json"
	"testing"
)

const typicalArguments = `{"path":"/srv/data/reports/2026/11/summary.md","edits":[{"oldText":"Total: 1200","newText":"Total: 1450"},` +
	`{"oldText":"Draft","newText":"Final"}],"dryRun":false,"options":{"encoding":"utf-8","createBackup":true,"retries":3,"timeout":2.5},` +
	`"labels":["finance","monthly"],"note":"Corrected after review"}`

func BenchmarkCanonical(b *testing.B) {
	src, dst := []byte(typicalArguments), make([]byte, 0, 1024)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Canonical(dst, src, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeOfTheSame(b *testing.B) {
	src := []byte(typicalArguments)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		var v any
		if err := json.Unmarshal(src, &v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRequestDigest(b *testing.B) {
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		r := Request{Workspace: "demo", Automation: "mail-triage", Release: "r7", Server: "files", Tool: "edit_file",
			Process: "worker-3", Session: "s-1", Credential: "files-rw", Target: "summary.md",
			Arguments: Arguments{Kind: ArgumentsJSON, JSON: []byte(typicalArguments)}}
		if _, err := r.Digest(buf); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKeyedSum(b *testing.B) {
	key, part := new(DigestKey), []byte(typicalArguments)
	b.ReportAllocs()
	for b.Loop() {
		key.Sum("arguments", part)
	}
}
