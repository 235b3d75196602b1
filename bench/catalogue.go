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

// traits are what a review states of a tool, in the words of reviews and policies.
type traits struct {
	Effect     string `json:"effect"`
	Risk       string `json:"risk"`
	Undo       string `json:"undo"`
	Exposure   string `json:"exposure"`
	Collection bool   `json:"collection"`
	Idempotent bool   `json:"idempotent"`
}

// traitsOf says what a tool is: four kinds by turns.
func traitsOf(tool int) traits {
	return []traits{
		{Effect: "read", Risk: "low", Undo: "trivial", Exposure: "internal", Idempotent: true},
		{Effect: "read", Risk: "medium", Undo: "trivial", Exposure: "sensitive", Idempotent: true},
		{Effect: "write", Risk: "low", Undo: "possible", Exposure: "internal", Idempotent: true},
		{Effect: "write", Risk: "high", Undo: "impossible", Exposure: "outbound"},
	}[tool%4]
}

// stated is the traits in a review.
func (t traits) stated() string {
	undo := t.Undo
	if undo == "possible" {
		undo = "{can: possible, who: any operator, needs: the path, within: a week, consumed_by: the nightly clean-up}"
	}
	return fmt.Sprintf("effect: %s\n    risk: %s\n    undo: %s\n    exposure: %s\n    collection: %t\n    idempotent: %t",
		t.Effect, t.Risk, undo, t.Exposure, t.Collection, t.Idempotent)
}

// toolList is what a server would send for tools/list.
func toolList(tools []int) ([]byte, error) {
	type object = map[string]any
	list := make([]object, len(tools))
	for i, tool := range tools {
		list[i] = object{
			"name":        toolName(tool),
			"description": fmt.Sprintf("Handles documents of kind %d.", tool),
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
	return json.Marshal(object{"tools": list})
}

// identity is what the binary under test says of a tool list.
type identity struct {
	Fingerprint string `json:"fingerprint"`
	ProseDigest string `json:"prose_digest"`
}

// writeCatalogue writes the whole catalogue below dir, and returns the identity of
// each server's list.
func writeCatalogue(ctx context.Context, writ, dir string, e estate) ([]identity, error) {
	ids := make([]identity, e.servers())
	for i := range ids {
		var err error
		if ids[i], err = writeServer(ctx, writ, dir, serverName(i), e.toolsOf(i)); err != nil {
			return nil, err
		}
	}
	for i := range e.Automations {
		file := filepath.Join(dir, "releases", automationName(i)+".yaml")
		if err := write(file, releaseOf(i, e, ids)); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// writeServer writes a server's list and its review.
func writeServer(ctx context.Context, writ, dir, name string, tools []int) (identity, error) {
	var id identity
	list, err := toolList(tools)
	if err != nil {
		return id, err
	}
	listFile := filepath.Join(dir, "toolsets", name+".json")
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
	return id, write(filepath.Join(dir, "reviews", name+".yaml"), review(name, tools, id))
}

func review(server string, tools []int, id identity) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "workspace: %s\nserver: %s\ntoolset: toolsets/%s.json\nprose_digest: %s\ntools:\n",
		workspace, server, server, id.ProseDigest)
	for _, tool := range tools {
		fmt.Fprintf(&b, "  %s:\n    %s\n", toolName(tool), traitsOf(tool).stated())
		b.WriteString("    description: Made up to be asked about often.\n" +
			"    basis: {kind: source_code, reference: bench, by: bench, at: 2026-01-01}\n" +
			"    rejected: \"anything stricter: nothing is behind it\"\n")
	}
	return []byte(b.String())
}

func releaseOf(automation int, e estate, ids []identity) []byte {
	stage := stageOf(automation)
	var b strings.Builder
	fmt.Fprintf(&b, "workspace: %s\nautomation: %s\nrelease: %q\nstage: %s\nauthor: bench\n"+
		"promoted: {by: bench audit, at: 2026-01-01, to: %s}\nservers:\n",
		workspace, automationName(automation), release, stage, stage)
	for _, server := range e.serversOf(automation) {
		var names []string
		for _, tool := range e.usedBy(automation, server) {
			names = append(names, toolName(tool))
		}
		fmt.Fprintf(&b, "  - name: %s\n    toolset: toolsets/%s.json\n    fingerprint: %s\n    tools: [%s]\n",
			serverName(server), serverName(server), ids[server].Fingerprint, strings.Join(names, ", "))
	}
	return []byte(b.String())
}

func write(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}
