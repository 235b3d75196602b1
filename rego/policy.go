package rego

import (
	"slices"
	"sync"
	"time"
)

// Options of Load. The zero value works.
type Options struct {
	// Deadline bounds one evaluation; what takes longer is refused (policy_timeout).
	// 0 is 250 ms.
	Deadline time.Duration
	// Remember is how many answers are kept. 0 is 16,384; a negative number keeps none.
	Remember int
	// SkipTests loads a policy whose own tests fail. It is for tools that edit
	// policies, never for serving.
	SkipTests bool
}

// Policy is one revision of a policy, ready to judge. It never changes, and is safe
// for concurrent use. A nil Policy refuses every call (policy_undefined).
type Policy struct {
	revision string
	files    []File
	stages   []string
	reads    []string
	shows    []string
	deadline time.Duration
	document document
	// classes is the document with classes in place of values; nil where it has none.
	classes *document
	judge   judge
	memory  *memory
	rooms   sync.Pool // of *room

	// mask is nil where the log may show all that is read; phrases then are too.
	mask    *mask
	phrases phrases
}

// File is one file of a policy.
type File struct {
	// Path in the policy's tree, with slashes.
	Path    string
	Content []byte
}

// Revision names the policy's files: "sha256:" and 64 hex digits.
func (p *Policy) Revision() string { return p.revision }

// Files returns every file that the revision covers, by path.
func (p *Policy) Files() []File { return slices.Clone(p.files) }

// Stages returns the rollout stages in order; the first is the one in which nothing
// is real (R9).
func (p *Policy) Stages() []string { return slices.Clone(p.stages) }

// Reads returns the inputs that the policy's rules name, sorted and without "input.":
// "traits.effect".
func (p *Policy) Reads() []string { return slices.Clone(p.reads) }

// Shows returns which of Reads the log holds in the clear although they may be personal:
// arguments, labels, target and scope that are not masked as a whole (R35).
func (p *Policy) Shows() []string { return slices.Clone(p.shows) }
