package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ/catalog"
)

type reviewCmd struct {
	Init   reviewInitCmd   `cmd:"" help:"Print the skeleton of a review: every trait is left to be stated, the server's words stand as comments."`
	Set    reviewSetCmd    `cmd:"" help:"State traits of several tools at once, with their basis."`
	Status reviewStatusCmd `cmd:"" help:"Say what is still open, tool by tool. Exit 1 while something is."`
	Update reviewUpdateCmd `cmd:"" help:"Carry a review over to a changed list: keep what still holds, mark what must be looked at again."`
}

type reviewInitCmd struct {
	Server    string `required:"" help:"Name of the server connection in the gateway's configuration."`
	Workspace string `default:"default" help:"Workspace that the review is for."`
	Tools     string `arg:"" help:"A tools/list result (writ toolset fetch prints one); - for standard input."`
}

func (reviewInitCmd) Help() string {
	return "Example:\n  writ toolset fetch -q -- npx -y @modelcontextprotocol/server-memory > toolsets/memory.json\n  writ review init --server memory toolsets/memory.json > reviews/memory.yaml"
}

// Validate refuses names that no review could have.
func (c reviewInitCmd) Validate() error {
	for _, f := range [][2]string{{"--server", c.Server}, {"--workspace", c.Workspace}} {
		if strings.TrimSpace(f[1]) == "" {
			return fmt.Errorf("%s is empty: expected a name, for example memory", f[0])
		}
	}
	return nil
}

func (c reviewInitCmd) Run(s streams) error {
	ts, err := readToolSet(c.Tools, s.in)
	if err != nil {
		return err
	}
	toolset := ""
	if i := strings.LastIndex(filepath.ToSlash(c.Tools), "toolsets/"); i >= 0 {
		toolset = filepath.ToSlash(c.Tools)[i:]
	}
	_, err = s.out.Write(catalog.Skeleton(c.Server, c.Workspace, toolset, ts))
	return err
}
