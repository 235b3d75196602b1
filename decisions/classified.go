package decisions

// Trait names one of the six components of Traits.
type Trait uint8

// The components, in the order in which sources are kept.
const (
	EffectTrait Trait = iota
	RiskTrait
	UndoTrait
	ExposureTrait
	SingleTrait
	IdempotentTrait
	traitCount
)

// SourceKind says who spoke about a trait.
type SourceKind uint8

// Source kinds. Unclassified: nobody spoke, so the strictest value holds (R4).
const (
	Unclassified SourceKind = iota
	Platform
	Review
	Release
	HintAtReview
	HintAtCall
)

// Source is what made a trait as strict as it is.
type Source struct {
	Kind SourceKind
	// Detail is for people: "destructiveHint of server github, seen at review".
	Detail string
}

// Statement is what one source says. Traits it is silent about hold their gentlest
// value, which changes nothing in a join.
type Statement struct {
	Traits Traits
	Source Source
}

// Classified are effective traits, each with the source that made it so strict.
// The zero value is the strictest, by nobody.
type Classified struct {
	Traits  Traits
	Sources [traitCount]Source
}

// Classify starts from the statement that classifies: a platform's or a review's.
func Classify(s Statement) Classified {
	c := Classified{Traits: s.Traits}
	for i := range c.Sources {
		c.Sources[i] = s.Source
	}
	return c
}

// Tighten joins a further statement in. A source is replaced only where the
// statement is strictly stricter, so the first to say a thing keeps its name on it.
func (c Classified) Tighten(s Statement) Classified {
	joined := c.Traits.Join(s.Traits)
	for i := range c.Sources {
		if t := Trait(i); joined.component(t) != c.Traits.component(t) {
			c.Sources[i] = s.Source
		}
	}
	c.Traits = joined
	return c
}

// component returns one trait as a number, strict to gentle.
func (t Traits) component(which Trait) uint8 {
	switch which {
	case EffectTrait:
		return uint8(t.Effect)
	case RiskTrait:
		return uint8(t.Risk)
	case UndoTrait:
		return uint8(t.Undo)
	case ExposureTrait:
		return uint8(t.Exposure)
	case SingleTrait:
		return truth(t.Single)
	case IdempotentTrait:
		return truth(t.Idempotent)
	}
	return 0
}

func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
