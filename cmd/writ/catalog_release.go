package main

import (
	"fmt"
	"os"
	"time"

	"github.com/writ-dev/writ/catalog"
)

type catalogReleaseCmd struct {
	Dir        string   `arg:"" type:"existingdir" help:"Directory of the catalogue."`
	Automation string   `required:"" help:"Automation that the release is of."`
	Release    string   `required:"" help:"Its version."`
	Author     string   `required:"" help:"Who publishes it: a role or team."`
	Workspace  string   `default:"default" help:"Workspace of the reviews and of the release."`
	Stage      string   `default:"rehearsal" help:"How far it is rolled out."`
	Replaces   string   `help:"The release that this one follows, where it is not the one before it in order."`
	Use        []string `sep:"none" placeholder:"SERVER[:TOOL,…]" help:"A server that it uses, with all its reviewed tools or those named; may be repeated. Default: every reviewed server."`
}

func (catalogReleaseCmd) Help() string {
	return `Example:
  writ catalog release --workspace demo --automation notes-agent --release 1.0 --author automation-team \
      --use memory:search_nodes,delete_entities ./catalog > ./catalog/releases/notes-agent-1.0.yaml

Prints the file of a release that pins the fingerprint of each list and the digest of each review as the catalogue holds them now.`
}

func (c catalogReleaseCmd) Run(s streams) error {
	draft, err := catalog.Draft{
		Workspace: c.Workspace, Automation: c.Automation, Version: c.Release, Author: c.Author,
		Stage: c.Stage, Replaces: c.Replaces, Uses: c.Use,
	}.Write(os.DirFS(c.Dir), time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s", draft)
	return err
}
