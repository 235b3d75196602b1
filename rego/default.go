package rego

import (
	"embed"
	"io/fs"
)

// defaultPolicy is embedded: the compiler lets it be no other kind of variable.
//
//go:embed policy
var defaultPolicy embed.FS

// Default returns the policy that ships in the binary.
func Default() fs.FS {
	sub, err := fs.Sub(defaultPolicy, "policy")
	if err != nil {
		panic(err) // The path is valid, and that is all that Sub checks.
	}
	return sub
}
