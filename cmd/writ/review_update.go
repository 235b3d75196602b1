package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/writ-dev/writ/catalog"
)

type reviewUpdateCmd struct {
	Tools   string `arg:"" help:"The tools/list result as it is now; - for standard input."`
	File    string `short:"f" required:"" env:"WRIT_REVIEW" help:"The review: a file below the catalogue's directory reviews."`
	Toolset string `help:"Where in the catalogue the list is kept; default: toolsets/ and the old file's name with the start of a digest."`
	output
}

func (reviewUpdateCmd) Help() string {
	return `Example:
  writ review update -f catalog/reviews/memory.yaml now.json

Puts the list into the catalogue beside the old one and carries the review over to it. A tool of which the server says the same as before is kept; one that changed keeps its words and is marked "recheck:" with what changed, which "writ catalog check" refuses until someone has looked ("writ review set --basis"); a new one is to be stated; one that is gone goes. Where a release uses the server, the old review is kept under superseded/.`
}

// updated is what the command did.
type updated struct {
	Tools      []catalog.Carried `json:"tools"`
	Toolset    string            `json:"toolset"`
	Superseded string            `json:"superseded,omitempty"`
	// Unpinned are releases that go with whatever review is current.
	Unpinned []string `json:"unpinned_releases"`
	// Digest is that of the old review.
	Digest string `json:"old_review"`
}

func (c reviewUpdateCmd) Run(s streams) error {
	now := time.Now()
	file, err := inCatalog(c.File)
	if err != nil {
		return err
	}
	raw, err := readFile(c.Tools, s.in)
	if err != nil {
		return err
	}
	to, err := parseToolSet(c.Tools, raw)
	if err != nil {
		return err
	}
	before, err := file.open(now)
	if err != nil {
		return err
	}
	place, err := c.place(file, before.List(), raw)
	if err != nil {
		return err
	}
	done := updated{Toolset: place, Digest: before.Digest(), Unpinned: []string{}}
	after, fates, err := before.Update(to, done.Toolset)
	if err != nil {
		return err
	}
	done.Tools = append([]catalog.Carried{}, fates...)
	done.uses(file, before, now)
	if err := done.write(file, before, after, raw); err != nil {
		return err
	}
	if c.json() {
		return printJSON(s.out, done)
	}
	return done.print(s, file)
}

// place says where the list is kept: where it lies already, or under a name that no other
// list has.
func (c reviewUpdateCmd) place(file reviewFile, old string, raw []byte) (string, error) {
	if c.Toolset != "" {
		name := strings.TrimPrefix(filepath.ToSlash(filepath.Clean(c.Toolset)), filepath.ToSlash(file.root)+"/")
		if !fs.ValidPath(name) || !strings.HasPrefix(name, "toolsets/") || path.Ext(name) != ".json" {
			return "", fmt.Errorf("--toolset %s is no place for a list: name a file like toolsets/mail-2.json", c.Toolset)
		}
		return name, nil
	}
	if there, err := os.ReadFile(file.path(old)); err == nil && bytes.Equal(there, raw) {
		return old, nil
	}
	name := regexp.MustCompile(`(-[0-9a-f]{8})?\.json$`).ReplaceAllString(old, "")
	sum := sha256.Sum256(raw)
	return name + "-" + hex.EncodeToString(sum[:4]) + ".json", nil
}

// uses finds the releases that go with the old review, and a place for it if there are any.
func (u *updated) uses(file reviewFile, before *catalog.ReviewDraft, now time.Time) {
	for _, use := range catalog.ReviewUses(os.DirFS(file.root), before.Workspace(), before.Server(), now) {
		if use.Review == "" {
			u.Unpinned = append(u.Unpinned, fmt.Sprintf("%s %s (%s)", use.Automation, use.Release, use.File))
		}
		if (use.Review == "" || use.Review == u.Digest) && before.Complete() {
			name := strings.TrimSuffix(path.Base(file.name), ".yaml")
			u.Superseded = fmt.Sprintf("superseded/%s-%.8s.yaml", name, strings.TrimPrefix(u.Digest, "rd1:"))
		}
	}
}

// write puts the review last: until then, nothing of the catalogue means anything else.
func (u *updated) write(file reviewFile, before, after *catalog.ReviewDraft, raw []byte) (err error) {
	var created []string
	defer func() {
		for _, name := range created {
			if err != nil {
				_ = os.Remove(file.path(name))
			}
		}
	}()
	for _, f := range []struct {
		name string
		data []byte
	}{{u.Toolset, raw}, {u.Superseded, before.Data}} {
		if f.name == "" {
			continue
		}
		isNew, err := file.create(f.name, f.data)
		if err != nil {
			return err
		}
		if isNew {
			created = append(created, f.name)
		}
	}
	return file.change(file.name, before.Data, after.Data)
}

func (u *updated) print(s streams, file reviewFile) error {
	counts := map[catalog.Fate]int{}
	var t table
	t.row("TOOL", "", "WHY")
	for _, c := range u.Tools {
		counts[c.Fate]++
		t.row(shown(c.Tool), string(c.Fate), strings.Join(c.Why, "; "))
	}
	if err := t.print(s.out); err != nil {
		return err
	}
	say(s.out, "%d kept, %d to look at again, %d new, %d gone\n", counts[catalog.Kept], counts[catalog.Recheck], counts[catalog.Added], counts[catalog.Dropped])
	say(s.out, "the list is in %s\n", u.Toolset)
	if u.Superseded != "" {
		say(s.out, "the old review is kept in %s\n", u.Superseded)
	}
	for _, release := range u.Unpinned {
		say(s.out, "release %s pins no review: write \"review: %s\" beside the server's name, so that it goes on as it was checked\n", release, u.Digest)
	}
	say(s.out, "next: writ review status %s\n", file.root)
	return nil
}
