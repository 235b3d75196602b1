package rego

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// What is no file is refused by its place before it is opened: nobody may ever
// write that pipe.
func TestNoFileOfAPolicy(t *testing.T) {
	for want, mode := range map[string]fs.FileMode{"p---------": fs.ModeNamedPipe, "S---------": fs.ModeSocket, "D": fs.ModeDevice} {
		fsys := policyOf("")
		fsys["writ/odd.rego"] = &fstest.MapFile{Mode: mode}
		_, err := Load(context.Background(), neverOpened{fsys, t}, Options{})
		if err == nil || !strings.Contains(err.Error(), "writ/odd.rego: is a "+want) || !strings.Contains(err.Error(), "expected a regular file") {
			t.Errorf("%s: got %v", mode, err)
		}
	}
}

// neverOpened fails the test that opens the odd one.
type neverOpened struct {
	fstest.MapFS
	t *testing.T
}

func (f neverOpened) ReadFile(name string) ([]byte, error) {
	if strings.Contains(name, "odd") {
		f.t.Errorf("%s was opened", name)
	}
	return f.MapFS.ReadFile(name)
}
