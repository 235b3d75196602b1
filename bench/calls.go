package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// arguments are some 300 bytes that no other call has. An amount below zero is left
// out.
func arguments(i, amount int) (string, error) {
	fields := map[string]any{
		"path": pathOf(i),
		"mode": []string{"fast", "safe", "dry"}[i%3],
		"note": fmt.Sprintf("request %d: %s", i, strings.Repeat("lorem ipsum ", 14)),
		"tags": []string{fmt.Sprintf("t%d", i%11), fmt.Sprintf("u%d", i%13)},
	}
	if amount >= 0 {
		fields["amount"] = amount
	}
	b, err := json.Marshal(fields)
	return string(b), err
}

func pathOf(i int) string { return fmt.Sprintf("/srv/share/%02d/%04d/report-%d.md", i%37, i%1009, i) }

// changed is the fingerprint of a list that nobody pinned.
var changed = "fp1:" + strings.Repeat("0", 64) //nolint:gochecknoglobals // a constant that Go cannot write as one

// callOf makes the i-th call: this automation, with this tool of this server.
func (at site) callOf(i, automation, server, tool, amount int) (*writv1.DecideRequest, error) {
	args, err := arguments(i, amount)
	if err != nil {
		return nil, err
	}
	return &writv1.DecideRequest{
		Workspace:          workspace,
		Automation:         automationName(automation),
		Release:            release,
		Stage:              stageOf(automation),
		Server:             serverName(server),
		Method:             "tools/call",
		Tool:               toolName(tool),
		ToolsetFingerprint: at.ids[server].Fingerprint,
		ProseDigest:        at.ids[server].ProseDigest,
		ToolsetAge:         durationpb.New(time.Duration(i%60) * time.Second),
		Arguments:          &writv1.DecideRequest_ArgumentsJson{ArgumentsJson: args},
		Process:            fmt.Sprintf("worker-%d", i%29),
		Session:            fmt.Sprintf("session-%d", i%101),
		OnBehalfOf:         fmt.Sprintf("person-%d", i%53),
		Credential:         "share-rw",
		Target:             pathOf(i),
	}, nil
}

// plain makes the i-th call of the headline. No two are the same: tool, stage,
// session, target and arguments vary; one in a hundred comes with the fingerprint of
// another list and is refused.
func (at site) plain(i int) (*writv1.DecideRequest, error) {
	automation := (i / 7) % at.estate.Automations
	servers := at.estate.serversOf(automation)
	server := servers[i%len(servers)]
	tools := at.estate.usedBy(automation, server)
	tool, amount := tools[i%len(tools)], i*7+1
	if at.estate.Pays { // keep away from what a rule reads: the tool before pays nothing
		amount = -1
		if pays(tool) {
			tool--
		}
	}
	call, err := at.callOf(i, automation, server, tool, amount)
	if err == nil && i%100 == 99 {
		call.ToolsetFingerprint = changed
	}
	return call, err
}

// varied makes the i-th call of the mix: automations, servers and tools are asked for
// by Zipf's law, one call in ten pays an amount that a rule reads, and one in a
// hundred comes with the fingerprint of another list.
func (at site) varied(r *rand.Rand, i int) (*writv1.DecideRequest, error) {
	automation := popular(r, at.estate.Automations)
	servers := at.estate.serversOf(automation)
	server := servers[popular(r, len(servers))]
	var some []int
	paying := r.IntN(10) == 0
	for _, tool := range at.estate.usedBy(automation, server) {
		if pays(tool) == paying {
			some = append(some, tool)
		}
	}
	amount := -1
	if paying {
		amount = r.IntN(10_000)
	}
	call, err := at.callOf(i, automation, server, some[popular(r, len(some))], amount)
	if err == nil && r.IntN(100) == 0 {
		call.ToolsetFingerprint = changed
	}
	return call, err
}
