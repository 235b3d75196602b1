package main

import (
	"fmt"

	"github.com/writ-dev/writ/catalog"
)

type reviewCmd struct {
	Init reviewInitCmd `cmd:"" help:"Print the skeleton of a review: every trait is left to be stated, the server's words stand as comments."`
}

type reviewInitCmd struct {
	Server    string `required:"" help:"Name of the server connection in the gateway's configuration."`
	Workspace string `default:"default" help:"Workspace that the review is for."`
	Tools     string `arg:"" help:"A tools/list result (writ toolset fetch prints one); - for standard input."`
}

func (reviewInitCmd) Help() string {
	return "Example:\n  writ toolset fetch -q -- npx -y @modelcontextprotocol/server-memory > toolsets/memory.json\n  writ review init --server memory toolsets/memory.json > reviews/memory.yaml"
}

func (c reviewInitCmd) Run(s streams) error {
	ts, err := readToolSet(c.Tools, s.in)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s", catalog.Skeleton(c.Server, c.Workspace, ts))
	return err
}
