package decisions

// Hint is one of a server's own annotations. The zero value: the server did not say,
// which is no admission (R6).
type Hint uint8

// Hint values.
const (
	Unsaid Hint = iota
	SaidFalse
	SaidTrue
)

// HintOf turns an optional boolean into a hint.
func HintOf(b *bool) Hint {
	switch {
	case b == nil:
		return Unsaid
	case *b:
		return SaidTrue
	}
	return SaidFalse
}

// String returns "unsaid", "false" or "true".
func (h Hint) String() string {
	switch h {
	case SaidFalse:
		return "false"
	case SaidTrue:
		return "true"
	}
	return "unsaid"
}

// Bool returns nil where the server did not say.
func (h Hint) Bool() *bool {
	if h == Unsaid {
		return nil
	}
	said := h == SaidTrue
	return &said
}

// Hints are the annotations of one MCP tool that say something about safety. A
// server is not trusted to be gentle: hints only ever tighten (R6).
type Hints struct {
	ReadOnly, Destructive, Idempotent, OpenWorld Hint
}

// Traits returns what the hints admit; Gentlest where they admit nothing.
func (h Hints) Traits() Traits {
	t := Gentlest
	if h.ReadOnly == SaidFalse {
		t.Effect = Write
	}
	if h.Destructive == SaidTrue {
		t.Effect, t.Risk, t.Undo = Write, HighRisk, UndoImpossible
	}
	if h.OpenWorld == SaidTrue {
		t.Exposure = OutboundExposure
	}
	if h.Idempotent == SaidFalse {
		t.Idempotent = false
	}
	return t
}

// Statement returns what the hints admit, all by one source. Where the source of
// each trait should name the hint, use Tighten.
func (h Hints) Statement(by Source) Statement { return Statement{h.Traits(), by} }

// HintSources names each hint as a source of traits. Make it once for a server and
// keep it, so that a call with hints allocates nothing.
type HintSources struct {
	ReadOnly, Destructive, Idempotent, OpenWorld Source
}

// NewHintSources builds details like "destructiveHint of server github, seen at
// review 2026-11-30" out of where = "server github, seen at review 2026-11-30".
func NewHintSources(kind SourceKind, where string) HintSources {
	name := func(hint string) Source { return Source{kind, hint + " of " + where} }
	return HintSources{
		ReadOnly:    name("readOnlyHint"),
		Destructive: name("destructiveHint"),
		Idempotent:  name("idempotentHint"),
		OpenWorld:   name("openWorldHint"),
	}
}

// Tighten joins the hints into c, one by one, so that each trait's source is the
// hint that made it stricter.
func (h Hints) Tighten(c Classified, by *HintSources) Classified {
	if h.Traits() == Gentlest {
		return c
	}
	c = c.Tighten(Hints{ReadOnly: h.ReadOnly}.Statement(by.ReadOnly))
	c = c.Tighten(Hints{Destructive: h.Destructive}.Statement(by.Destructive))
	c = c.Tighten(Hints{OpenWorld: h.OpenWorld}.Statement(by.OpenWorld))
	return c.Tighten(Hints{Idempotent: h.Idempotent}.Statement(by.Idempotent))
}
