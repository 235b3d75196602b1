package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

const (
	// npmDirectory keeps what was installed; it is git-ignored and `make clean` removes it.
	npmDirectory = "../../.bin/npm"
	// npmBefore pins what the servers depend on: npm takes the newest version that was
	// published before. The same server version has another contract beside another
	// schema library.
	npmBefore = "2026-09-15"
)

// npmPackage is one server at one version.
type npmPackage struct{ name, version string }

// requireNode skips where a person has no node; CI must have it.
func requireNode(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the reference servers are not installed")
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not on the PATH, and CI=true: the test with real MCP servers needs it", tool)
		}
		t.Skipf("%s is not on the PATH: install Node 20 to run the test with real MCP servers", tool)
	}
}

// installAll installs what is not there yet, side by side: most of it is waiting.
func installAll(t *testing.T, packages []npmPackage) {
	t.Helper()
	errs := make([]error, len(packages))
	var installing sync.WaitGroup
	for i, p := range packages {
		installing.Go(func() { errs[i] = p.install(t.Context()) })
	}
	installing.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("%v\nthe reference servers come from npm: connect, or leave the test out with -short", err)
	}
}

// install is safe beside other processes that install the same: the directory appears
// whole or not at all, and whoever comes second uses what is there.
func (p npmPackage) install(ctx context.Context) error {
	final := p.directory()
	if _, err := os.Stat(final); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(final), 0o750); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(final), ".part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", part, "--before", npmBefore,
		"--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error",
		fmt.Sprintf("@modelcontextprotocol/%s@%s", p.name, p.version))
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", npm.Args, err, out)
	}
	if err := os.Rename(part, final); err != nil {
		if _, there := os.Stat(final); there != nil {
			return err
		}
	}
	return nil
}

func (p npmPackage) directory() string {
	return filepath.Join(npmDirectory, npmBefore, p.name+"@"+p.version)
}

// program is the file that starts the server.
func (p npmPackage) program() string {
	return filepath.Join(p.directory(), "node_modules", ".bin", "mcp-"+p.name)
}
