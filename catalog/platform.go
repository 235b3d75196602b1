package catalog

import "github.com/writ-dev/writ/decisions"

// The methods of MCP that Writ knows. Any other method is a platform action.
const (
	MethodToolsCall     = "tools/call"
	MethodResourcesRead = "resources/read"
	MethodPromptsGet    = "prompts/get"
)

// Platform returns what the platform itself says about a method: the protocol
// defines that reading a resource or getting a prompt reads (R4). The zero value,
// and false, for every other method.
func Platform(method string) (decisions.Classified, bool) {
	switch method {
	case MethodResourcesRead, MethodPromptsGet:
		return decisions.Classify(decisions.Statement{
			Traits: decisions.Traits{
				Effect:   decisions.Read,
				Risk:     decisions.LowRisk,
				Undo:     decisions.UndoTrivial,
				Exposure: decisions.InternalExposure,
				Single:   true,
			},
			Source: decisions.Source{Kind: decisions.Platform, Detail: method + " as the protocol defines it"},
		}), true
	}
	return decisions.Classified{}, false
}
