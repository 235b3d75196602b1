package main

import (
	"fmt"
	"math/rand/v2"
)

// estate is how much a catalogue holds. Tools are spread over servers, and each
// automation has one release, in one stage, that uses a few of the servers.
type estate struct {
	Tools       int `json:"tools"`
	Automations int `json:"automations"`
	// Rules are added to the policy; 0 serves the built-in one.
	Rules int `json:"rules,omitempty"`
	// Pays adds the rule that reads an argument of calls with a tool that pays.
	Pays bool `json:"pays,omitempty"`
	// Told has that rule tell the argument, so that no answer repeats.
	Told bool `json:"told,omitempty"`
}

// The names that calls and catalogue share.
const (
	workspace = "bench"
	release   = "1.0"
	// perServer is how many tools a server has: a file of reviews is bounded.
	perServer = 100
	// reach is how many servers a release uses, where there are so many, and uses how
	// many tools of each.
	reach = 3
	uses  = 20
	// payEvery of the tools pays.
	payEvery = 10
)

// stages are those of the default policy.
func stages() []string { return []string{"rehearsal", "supervised", "limited", "general"} }

func stageOf(automation int) string { return stages()[automation%len(stages())] }

func automationName(i int) string { return fmt.Sprintf("clerk-%05d", i) }

func serverName(i int) string { return fmt.Sprintf("share-%03d", i) }

func toolName(i int) string {
	if pays(i) {
		return fmt.Sprintf("pay_%05d", i)
	}
	return fmt.Sprintf("tool_%05d", i)
}

func pays(tool int) bool { return tool%payEvery == payEvery-1 }

// servers is how many there are.
func (e estate) servers() int { return (e.Tools + perServer - 1) / perServer }

// serversOf lists the servers that an automation's release uses, each once.
func (e estate) serversOf(automation int) []int {
	n := e.servers()
	all := make([]int, min(reach, n))
	for k := range all {
		// Neighbours share no servers, so that popular automations do not sit on one.
		all[k] = (automation*len(all) + k) % n
	}
	return all
}

// toolsOf lists a server's tools.
func (e estate) toolsOf(server int) []int {
	return numbers(server*perServer, min((server+1)*perServer, e.Tools))
}

// usedBy lists the tools of one of its servers that an automation's release uses.
// Releases of one server use other parts of it by turns.
func (e estate) usedBy(automation, server int) []int {
	all := e.toolsOf(server)
	parts := (len(all) + uses - 1) / uses
	part := automation * min(reach, e.servers()) / e.servers() % parts
	return all[part*uses : min((part+1)*uses, len(all))]
}

// use is a tool that a release may use.
type use struct{ automation, server, tool int }

// allUses lists each tool that any release uses, with the first automation that does.
func (e estate) allUses() []use {
	first := make([]*use, e.Tools)
	for automation := range e.Automations {
		for _, server := range e.serversOf(automation) {
			for _, tool := range e.usedBy(automation, server) {
				if first[tool] == nil {
					first[tool] = &use{automation, server, tool}
				}
			}
		}
	}
	var all []use
	for _, u := range first {
		if u != nil {
			all = append(all, *u)
		}
	}
	return all
}

// numbers lists them from the first to before the last.
func numbers(first, end int) []int {
	all := make([]int, 0, max(0, end-first))
	for i := first; i < end; i++ {
		all = append(all, i)
	}
	return all
}

// popular draws from 0 to n-1 with Zipf's law: few are asked for often.
func popular(r *rand.Rand, n int) int {
	if n < 2 {
		return 0
	}
	return int(rand.NewZipf(r, 1.1, 1, uint64(n-1)).Uint64()) //nolint:gosec // below n
}
