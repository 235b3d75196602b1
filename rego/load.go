package rego

import (
	"cmp"
	"context"
	"io/fs"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
)

// defaultDeadline bounds one evaluation.
// Long enough that a busy machine does not refuse ordinary calls, short enough that a
// runaway rule does not hold a gateway.
const defaultDeadline = 250 * time.Millisecond

// Load reads a policy from a tree, checks it, and runs its own tests. It fetches
// nothing and runs nothing but the policy. It returns ErrPolicy with every finding
// where the policy can't be used.
func Load(ctx context.Context, fsys fs.FS, o Options) (*Policy, error) {
	s, c, found := check(fsys)
	if len(found) > 0 {
		return nil, found.asError()
	}
	if !o.SkipTests {
		report, err := s.test(ctx)
		if err != nil {
			return nil, err
		}
		if err := report.failures().asError(); err != nil {
			return nil, err
		}
	}
	return s.policy(c, o)
}

// policy puts a checked source together.
func (s *source) policy(c *ast.Compiler, o Options) (*Policy, error) {
	reads := s.narrowPaths(c)
	p := &Policy{
		revision: s.revision(),
		files:    s.files,
		stages:   s.stages(),
		deadline: cmp.Or(o.Deadline, defaultDeadline),
		document: newDocument(reads, nil),
		memory:   newMemory(o.Remember),
	}
	for _, r := range reads {
		p.reads = append(p.reads, strings.Join(r, "."))
	}
	paths, _ := s.maskPaths()
	if len(paths) > 0 {
		p.mask, p.phrases = newMask(paths), s.phrases()
	}
	p.shows = shown(reads, paths)
	if classes := s.atoms(reads, paths); len(classes) > 0 {
		d := newDocument(reads, classes)
		p.classes = &d
	}
	var err error
	p.judge, err = s.judge(c, readPaths(c))
	return p, err
}

// judge prepares the question, and the probe where the policy reads arguments.
func (s *source) judge(c *ast.Compiler, reads []inputPath) (judge, error) {
	query, err := question(c)
	if err != nil {
		return judge{}, err
	}
	probe, err := s.newProbe(reads)
	return judge{compiler: c, store: s.store(), query: query, rules: s.rules(), words: newVocabulary(s.stages(), reads), probe: probe}, err
}
