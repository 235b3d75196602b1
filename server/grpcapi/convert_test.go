package grpcapi

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// The contract's enums and the record's are converted by number, so they count
// alike, value by value and name by name.
func TestContractAndRecordCountAlike(t *testing.T) {
	for _, pair := range [][2]protoreflect.EnumDescriptor{
		{writv1.Outcome(0).Descriptor(), ledgerv1.Outcome(0).Descriptor()},
		{writv1.Effect(0).Descriptor(), ledgerv1.Effect(0).Descriptor()},
		{writv1.Risk(0).Descriptor(), ledgerv1.Risk(0).Descriptor()},
		{writv1.Undo(0).Descriptor(), ledgerv1.Undo(0).Descriptor()},
		{writv1.Exposure(0).Descriptor(), ledgerv1.Exposure(0).Descriptor()},
		{writv1.ApprovalKind(0).Descriptor(), ledgerv1.ApprovalKind(0).Descriptor()},
		{writv1.Result(0).Descriptor(), ledgerv1.Result(0).Descriptor()},
	} {
		contract, record := pair[0].Values(), pair[1].Values()
		if contract.Len() != record.Len() {
			t.Errorf("%s has %d values, the record's has %d", pair[0].Name(), contract.Len(), record.Len())
			continue
		}
		for i := range contract.Len() {
			if c, r := contract.Get(i), record.Get(i); c.Name() != r.Name() || c.Number() != r.Number() {
				t.Errorf("%s: %s = %d in the contract, %s = %d in the record", pair[0].Name(), c.Name(), c.Number(), r.Name(), r.Number())
			}
		}
	}
}

// R3: whoever made traits strict, the answer names each of them once, and each trait
// once, with its own source; who made them all is named without traits.
func TestSourcesNameEveryTraitOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c decisions.Classified
		for i := range c.Sources {
			c.Sources[i] = decisions.Source{
				Kind:   rapid.SampledFrom([]decisions.SourceKind{decisions.Unclassified, decisions.Review, decisions.HintAtCall}).Draw(t, "kind"),
				Detail: rapid.SampledFrom([]string{"", "a"}).Draw(t, "detail"),
			}
		}
		named, seen := map[writv1.Trait]bool{}, map[decisions.Source]bool{}
		for _, s := range sources(&c) {
			traits := s.GetTraits()
			if len(traits) == 0 {
				traits = everyTrait()
			}
			for _, trait := range traits {
				of := c.Sources[trait-writv1.Trait_TRAIT_EFFECT]
				if s.GetKind() != of.Kind.String() || s.GetDetail() != of.Detail || named[trait] {
					t.Fatalf("%v is said to be by %v", trait, s)
				}
				named[trait], seen[of] = true, true
			}
		}
		if len(named) != len(c.Sources) || len(seen) != len(sources(&c)) {
			t.Fatalf("%v are named by %v", named, sources(&c))
		}
	})
}

func everyTrait() []writv1.Trait {
	var all []writv1.Trait
	for i := range (decisions.Classified{}).Sources {
		all = append(all, writv1.Trait_TRAIT_EFFECT+writv1.Trait(i))
	}
	return all
}

// The traits are numbered alike, and the contract's names are those of its fields.
func TestTraitsCountAlike(t *testing.T) {
	fields := (&writv1.EffectiveTraits{}).ProtoReflect().Descriptor().Fields()
	for i := range (decisions.Classified{}).Sources {
		field := fields.ByNumber(protoreflect.FieldNumber(i + 1)).Name()
		name := "TRAIT_" + strings.ToUpper(string(field))
		if got := (writv1.Trait_TRAIT_EFFECT + writv1.Trait(i)).String(); got != name {
			t.Errorf("trait %d is %s, the field is %s", i, got, field)
		}
		if word := decisions.Trait(i).String(); word != string(field) && decisions.Trait(i) != decisions.SingleTrait {
			t.Errorf("trait %d is %s in the domain, the field is %s", i, word, field)
		}
	}
}
