package decisions

import "testing"

// everyTraits yields all 288 values of Traits.
func everyTraits(yield func(Traits) bool) {
	for i := range 2 * 3 * 3 * 4 * 2 * 2 {
		n := i
		next := func(size int) uint8 { digit := n % size; n /= size; return uint8(digit) }
		t := Traits{Effect(next(2)), Risk(next(3)), Undo(next(3)), Exposure(next(4)), next(2) == 1, next(2) == 1}
		if !yield(t) {
			return
		}
	}
}

// joinTwin is Join as R1 and R3 put it: by the order of the words, strictest first.
func joinTwin(t, u Traits) Traits {
	strictest := func(a, b string, words ...string) int {
		for i, w := range words {
			if a == w || b == w {
				return i
			}
		}
		panic("no such word: " + a + ", " + b)
	}
	return Traits{
		Effect:     Effect(strictest(t.Effect.String(), u.Effect.String(), "write", "read")),
		Risk:       Risk(strictest(t.Risk.String(), u.Risk.String(), "high", "medium", "low")),
		Undo:       Undo(strictest(t.Undo.String(), u.Undo.String(), "impossible", "possible", "trivial")),
		Exposure:   Exposure(strictest(t.Exposure.String(), u.Exposure.String(), "outbound", "sensitive", "internal", "none")),
		Single:     !(!t.Single || !u.Single),
		Idempotent: !(!t.Idempotent || !u.Idempotent),
	}
}

// notGentler says that no trait of t is gentler than u's.
func notGentler(t, u Traits) bool {
	for i := range traitCount {
		if t.component(i) > u.component(i) {
			return false
		}
	}
	return true
}

// R1–R3: the join of traits is a lattice's, over every pair and, for associativity
// and monotony, every third.
func TestTraitsJoinIsALattice(t *testing.T) {
	for a := range everyTraits {
		if a.Join(a) != a || a.Join(Gentlest) != a || a.Join(Traits{}) != (Traits{}) {
			t.Fatalf("idempotence, identity or top fails for %v", a)
		}
		for b := range everyTraits {
			ab := a.Join(b)
			if ab != b.Join(a) || ab != joinTwin(a, b) {
				t.Fatalf("%v join %v is %v: not commutative, or not the twin's", a, b, ab)
			}
			if !notGentler(ab, a) || !notGentler(ab, b) {
				t.Fatalf("%v join %v is gentler than one of them", a, b)
			}
		}
	}
}

func TestTraitsJoinIsAssociativeAndMonotone(t *testing.T) {
	for a := range everyTraits {
		for b := range everyTraits {
			ab := a.Join(b)
			for c := range everyTraits {
				if ab.Join(c) != a.Join(b.Join(c)) {
					t.Fatalf("%v, %v, %v: not associative", a, b, c)
				}
				if notGentler(a, b) && !notGentler(a.Join(c), b.Join(c)) {
					t.Fatalf("%v, %v, %v: not monotone", a, b, c)
				}
			}
		}
	}
}

// R11: the strictest outcome wins.
func TestStrictestOutcome(t *testing.T) {
	order := []Outcome{Refuse, RecordOnly, AwaitApproval, Run}
	for i, a := range order {
		for j, b := range order {
			if got := Strictest(a, b); got != order[min(i, j)] {
				t.Errorf("Strictest(%v, %v) = %v", a, b, got)
			}
		}
	}
	if zero := Outcome(0); zero != Refuse {
		t.Errorf("the zero outcome is %v", zero)
	}
}

// R3: a trait's source is the first that made it as strict as it is.
func TestTightenKeepsWhoSaidItFirst(t *testing.T) {
	review, hint, release := Source{Review, "review"}, Source{HintAtCall, "hint"}, Source{Release, "release"}
	for a := range everyTraits {
		for b := range everyTraits {
			c := Classify(Statement{a, review}).Tighten(Statement{b, hint}).Tighten(Statement{b, release})
			if c.Traits != a.Join(b) {
				t.Fatalf("%v tightened by %v is %v", a, b, c.Traits)
			}
			for i := range traitCount {
				want := review
				if b.component(i) < a.component(i) {
					want = hint
				}
				if c.Sources[i] != want {
					t.Fatalf("%v tightened by %v: %v is by %v", a, b, i, c.Sources[i])
				}
			}
		}
	}
}

// R2: nobody spoke means the strictest, by nobody.
func TestZeroIsStrictest(t *testing.T) {
	var c Classified
	for a := range everyTraits {
		if got := c.Tighten(Statement{a, Source{Kind: Review}}); got != c {
			t.Fatalf("%v changed the strictest to %v", a, got)
		}
	}
}
