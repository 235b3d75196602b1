package rego

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

const (
	// maxFile bounds one file, in bytes; maxFiles the whole tree.
	maxFile  = 4 << 20
	maxFiles = 4096
)

// source is a policy's tree, read and parsed.
type source struct {
	files []File
	// modules are the rules, tests the test files; both by path.
	modules, tests map[string]*ast.Module
	data           map[string]any
	lines          dataLines
}

// readSource reads every file of the tree whose name does not begin with a dot.
func readSource(fsys fs.FS) (*source, findings) {
	s := &source{modules: map[string]*ast.Module{}, tests: map[string]*ast.Module{}, data: map[string]any{}, lines: dataLines{}}
	var fs findings
	for _, err := range s.read(fsys) {
		fs = append(fs, Finding{Message: err.Error()})
	}
	for _, f := range s.files {
		fs = append(fs, s.parse(f)...)
	}
	return s, fs
}

// read collects the files, sorted by path.
func (s *source) read(fsys fs.FS) (errs []error) {
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		case len(s.files) == maxFiles:
			return fmt.Errorf("more than %d files; expected a policy's own directory", maxFiles)
		case !entry.Type().IsRegular():
			errs = append(errs, fmt.Errorf("%s: is a %s; expected a regular file", name, entry.Type()))
			return nil
		}
		content, err := readFile(fsys, name, entry)
		if err != nil {
			errs = append(errs, err)
			return nil
		}
		s.files = append(s.files, File{name, content})
		return nil
	})
	if err != nil {
		errs = append(errs, err)
	}
	slices.SortFunc(s.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return errs
}

func readFile(fsys fs.FS, name string, entry fs.DirEntry) ([]byte, error) {
	info, err := entry.Info()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s: has %d bytes; expected at most %d", name, info.Size(), maxFile)
	}
	return fs.ReadFile(fsys, name)
}

// parse takes one file in. Documentation may stand beside the policy.
func (s *source) parse(f File) findings {
	switch path.Ext(f.Path) {
	case ".rego":
		return s.parseModule(f)
	case ".json", ".yaml", ".yml":
		return s.parseData(f)
	case ".md", "":
		return nil
	}
	return findings{{File: f.Path, Message: "is neither Rego, data nor Markdown; move it out of the policy's directory"}}
}

func (s *source) parseModule(f File) findings {
	module, err := ast.ParseModuleWithOpts(f.Path, string(f.Content), ast.ParserOptions{
		Capabilities:      capabilities(),
		ProcessAnnotation: true,
		RegoVersion:       ast.RegoV1,
	})
	if err != nil {
		return compilerFindings(err)
	}
	if strings.HasSuffix(f.Path, "_test.rego") {
		s.tests[f.Path] = module
	} else {
		s.modules[f.Path] = module
	}
	return nil
}

// revision hashes paths and contents, each preceded by its length as 8 bytes, big
// endian, in order of path.
func (s *source) revision() string {
	h := sha256.New()
	write := func(b []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	for _, f := range s.files {
		write([]byte(f.Path))
		write(f.Content)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
