package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The catalogue that is served: one server with many tools, and one release in each
// stage of the default policy, so that all four outcomes occur.
const (
	workspace  = "bench"
	automation = "clerk"
	connection = "files"
)

// stages are the releases' names and their stages.
func stages() []string { return []string{"rehearsal", "supervised", "limited", "general"} }

// kinds are what tools are, by turns, as a review states it.
func kinds() []string {
	return []string{
		"effect: read\n    risk: low\n    undo: trivial\n    exposure: internal\n    collection: false\n    idempotent: true",
		"effect: read\n    risk: medium\n    undo: trivial\n    exposure: sensitive\n    collection: false\n    idempotent: true",
		"effect: write\n    risk: low\n    undo: {can: possible, who: any operator, needs: the path, within: a week, consumed_by: the nightly clean-up}\n    exposure: internal\n    collection: false\n    idempotent: true",
		"effect: write\n    risk: high\n    undo: impossible\n    exposure: outbound\n    collection: false",
	}
}

func toolName(i int) string { return fmt.Sprintf("tool_%05d", i) }

// toolList is what the server would send for tools/list.
func toolList(n int) ([]byte, error) {
	type object = map[string]any
	tools := make([]object, n)
	for i := range tools {
		tools[i] = object{
			"name":        toolName(i),
			"description": fmt.Sprintf("Handles documents of kind %d.", i),
			"inputSchema": object{
				"type": "object",
				"properties": object{
					"path":   object{"type": "string", "minLength": 1, "maxLength": 400},
					"amount": object{"type": "number", "minimum": 0},
					"mode":   object{"type": "string", "enum": []string{"fast", "safe", "dry"}},
					"note":   object{"type": "string"},
					"tags":   object{"type": "array", "items": object{"type": "string"}, "maxItems": 8},
				},
				"required":             []string{"path", "mode"},
				"additionalProperties": false,
			},
		}
	}
	return json.Marshal(object{"tools": tools})
}

// identity is what the binary under test says of a tool list.
type identity struct {
	Fingerprint string `json:"fingerprint"`
	ProseDigest string `json:"prose_digest"`
}

// writeCatalogue writes the whole catalogue below dir.
func writeCatalogue(ctx context.Context, writ, dir string, tools int) (identity, error) {
	var id identity
	list, err := toolList(tools)
	if err != nil {
		return id, err
	}
	listFile := filepath.Join(dir, "toolsets", connection+".json")
	if err := write(listFile, list); err != nil {
		return id, err
	}
	out, err := exec.CommandContext(ctx, writ, "toolset", "fingerprint", "-o", "json", listFile).Output()
	if err != nil {
		return id, fmt.Errorf("%s toolset fingerprint: %w", writ, err)
	}
	if err := json.Unmarshal(out, &id); err != nil {
		return id, fmt.Errorf("%s toolset fingerprint: %w", writ, err)
	}
	if err := write(filepath.Join(dir, "reviews", connection+".yaml"), review(tools, id)); err != nil {
		return id, err
	}
	for _, stage := range stages() {
		if err := write(filepath.Join(dir, "releases", stage+".yaml"), release(stage, tools, id)); err != nil {
			return id, err
		}
	}
	return id, nil
}

func review(tools int, id identity) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "workspace: %s\nserver: %s\ntoolset: toolsets/%s.json\nprose_digest: %s\ntools:\n",
		workspace, connection, connection, id.ProseDigest)
	for i := range tools {
		fmt.Fprintf(&b, "  %s:\n    %s\n", toolName(i), kinds()[i%len(kinds())])
		b.WriteString("    description: Made up to be asked about often.\n" +
			"    basis: {kind: source_code, reference: bench, by: bench, at: 2026-01-01}\n" +
			"    rejected: \"anything stricter: nothing is behind it\"\n")
	}
	return []byte(b.String())
}

func release(stage string, tools int, id identity) []byte {
	names := make([]string, tools)
	for i := range names {
		names[i] = toolName(i)
	}
	return fmt.Appendf(nil, `workspace: %s
automation: %s
release: %s
stage: %s
author: bench
promoted: {by: bench audit, at: 2026-01-01, to: %s}
servers:
  - name: %s
    toolset: toolsets/%s.json
    fingerprint: %s
    tools: [%s]
`, workspace, automation, stage, stage, stage, connection, connection, id.Fingerprint, strings.Join(names, ", "))
}

func write(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}
