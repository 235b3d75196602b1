package rego

import (
	"strconv"
	"time"

	"github.com/writ-dev/writ/decisions"
)

// kind is the type of a field in the document.
type kind uint8

const (
	text kind = iota
	truth
	number
	// object is a JSON object with keys that only the caller knows.
	object
)

// field is one leaf of the document. The table of fields is the one place that says
// what a policy can read: encoder, schema and lint are made from it.
type field struct {
	// path is dotted, without "input.".
	path string
	kind kind
	// words are all values of a text that has a closed list.
	words []string
	// write appends the value as JSON.
	write func([]byte, *Input) []byte
}

// fields lists the document in its order.
func fields() []field {
	fs := []field{
		plain("workspace", func(in *Input) string { return in.Workspace }),
		plain("automation", func(in *Input) string { return in.Automation }),
		plain("release", func(in *Input) string { return in.Release }),
		plain("stage", func(in *Input) string { return in.Stage }),
		plain("server", func(in *Input) string { return in.Server }),
		plain("method", func(in *Input) string { return in.Method }),
		plain("tool", func(in *Input) string { return in.Tool }),
		plain("caller", func(in *Input) string { return in.Caller }),
		plain("process", func(in *Input) string { return in.Process }),
		plain("on_behalf_of", func(in *Input) string { return in.OnBehalfOf }),
		plain("session", func(in *Input) string { return in.Session }),
		plain("credential", func(in *Input) string { return in.Credential }),
		plain("target", func(in *Input) string { return in.Target }),
	}
	fs = append(fs, traitFields()...)
	fs = append(fs, sourceFields()...)
	return append(fs,
		boolean("scope.stated", func(in *Input) bool { return in.ScopeStated }),
		plain("scope.selection", func(in *Input) string { return in.Selection }),
		integer("scope.count", func(in *Input) int64 { return in.Count }),
		integer("toolset_age_seconds", func(in *Input) int64 { return int64(in.ToolsetAge / time.Second) }),
		boolean("prose_changed", func(in *Input) bool { return in.ProseChanged }),
		plain("time", func(in *Input) string { return in.Time.UTC().Format(time.RFC3339Nano) }),
		field{path: labelsPath, kind: object},
		field{path: argumentsPath, kind: object},
	)
}

// The fields whose keys only the caller knows.
const (
	labelsPath    = "labels"
	argumentsPath = "arguments"
	timePath      = "time"
)

func traitFields() []field {
	traits := func(in *Input) decisions.Traits { return in.Classified.Traits }
	return []field{
		word("traits.effect", decisions.Read, func(in *Input) decisions.Effect { return traits(in).Effect }),
		word("traits.risk", decisions.LowRisk, func(in *Input) decisions.Risk { return traits(in).Risk }),
		word("traits.undo", decisions.UndoTrivial, func(in *Input) decisions.Undo { return traits(in).Undo }),
		word("traits.exposure", decisions.NoExposure, func(in *Input) decisions.Exposure { return traits(in).Exposure }),
		boolean("traits.collection", func(in *Input) bool { return !traits(in).Single }),
		boolean("traits.idempotent", func(in *Input) bool { return traits(in).Idempotent }),
	}
}

func sourceFields() []field {
	var fs []field
	for i := range (decisions.Classified{}).Sources {
		fs = append(fs, word("sources."+decisions.Trait(i).String(), decisions.HintAtCall,
			func(in *Input) decisions.SourceKind { return in.Classified.Sources[i].Kind }))
	}
	return fs
}

func plain(path string, of func(*Input) string) field {
	return field{path: path, write: func(b []byte, in *Input) []byte { return appendText(b, of(in)) }}
}

func boolean(path string, of func(*Input) bool) field {
	return field{path: path, kind: truth, write: func(b []byte, in *Input) []byte { return strconv.AppendBool(b, of(in)) }}
}

func integer(path string, of func(*Input) int64) field {
	return field{path: path, kind: number, write: func(b []byte, in *Input) []byte { return strconv.AppendInt(b, of(in), 10) }}
}

// word is a field with the words of T's values up to last.
func word[T interface {
	~uint8
	String() string
}](path string, last T, of func(*Input) T) field {
	f := plain(path, func(in *Input) string { return of(in).String() })
	for v := T(0); v <= last; v++ {
		f.words = append(f.words, v.String())
	}
	return f
}
