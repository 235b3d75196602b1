package decisions

import (
	"bytes"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// AppendDecision against its dumb twin: whatever a decision holds, in fields that later
// versions add too, its entry is what proto.Marshal makes of it.
func TestAppendDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &ledgerv1.Decision{}
		drawMessage(t, d.ProtoReflect())
		traits := drawClassified(t)
		d.Traits = traits.Record()
		want, err := proto.MarshalOptions{Deterministic: true}.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: d}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := AppendDecision([]byte("before"), d, &traits)
		if err != nil || !bytes.Equal(got, append([]byte("before"), want...)) {
			t.Fatalf("got  %x, %v\nwant %x\nof %v", got, err, want, d)
		}
	})
}

// drawMessage fills some of the fields, of every kind that there is.
func drawMessage(t *rapid.T, m protoreflect.Message) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		switch {
		case f.Name() == "traits" || rapid.IntRange(0, 2).Draw(t, "absent") == 0:
		case f.IsList():
			list := m.Mutable(f).List()
			for range rapid.IntRange(0, 3).Draw(t, "items") {
				if f.Message() != nil {
					drawMessage(t, list.AppendMutable().Message())
				} else {
					list.Append(drawScalar(t, f))
				}
			}
		case f.Message() != nil:
			drawMessage(t, m.Mutable(f).Message())
		default:
			m.Set(f, drawScalar(t, f))
		}
	}
}

func drawScalar(t *rapid.T, f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(rapid.OneOf(rapid.StringN(0, 9, -1), rapid.StringN(100, 300, -1)).Draw(t, "text"))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "bytes"))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(t, "truth"))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(t, "number"))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(rapid.Uint64().Draw(t, "number"))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(rapid.Int32Range(-1, 300).Draw(t, "word")))
	default:
		t.Fatalf("%s is a %s: draw it here and write it in AppendDecision", f.FullName(), f.Kind())
		return protoreflect.Value{}
	}
}

func drawClassified(t *rapid.T) Classified {
	c := Classified{Traits: Traits{
		Effect: Effect(rapid.Byte().Draw(t, "effect")), Risk: Risk(rapid.IntRange(0, 3).Draw(t, "risk")),
		Undo: Undo(rapid.IntRange(0, 3).Draw(t, "undo")), Exposure: Exposure(rapid.IntRange(0, 4).Draw(t, "exposure")),
		Single: rapid.Bool().Draw(t, "single"), Idempotent: rapid.Bool().Draw(t, "idempotent"),
	}}
	for i := range c.Sources {
		c.Sources[i] = Source{
			Kind:   SourceKind(rapid.IntRange(0, 6).Draw(t, "kind")),
			Detail: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "detail"),
		}
	}
	return c
}

// A text that is no text would be an entry that nobody can decode.
func TestAppendDecisionRefusesWhatIsNoText(t *testing.T) {
	for _, d := range []*ledgerv1.Decision{
		{Tool: "\xff"}, {Warnings: []string{"", "a\xc0"}}, {Parties: &ledgerv1.Parties{Process: "\xed\xa0\x80"}},
	} {
		if _, err := AppendDecision(nil, d, &Classified{}); !errors.Is(err, ErrEnvelope) {
			t.Errorf("%v: %v", d, err)
		}
	}
	if _, err := AppendDecision(nil, &ledgerv1.Decision{}, &Classified{Sources: [traitCount]Source{{Detail: "\xff"}}}); !errors.Is(err, ErrEnvelope) {
		t.Errorf("a source: %v", err)
	}
}

func TestAppendDecisionAllocatesNothing(t *testing.T) {
	d, traits, room := sampleDecision(), Classified{}, make([]byte, 0, 2048)
	if n := testing.AllocsPerRun(100, func() { _, _ = AppendDecision(room, d, &traits) }); n > 0 {
		t.Errorf("%v allocations, want none where there is room", n)
	}
}

func sampleDecision() *ledgerv1.Decision {
	sum := make([]byte, 32)
	return &ledgerv1.Decision{
		Parties:   &ledgerv1.Parties{CallerBy: "none", Process: "triage-worker", Automation: "mail-triage"},
		Workspace: "demo", Release: "1.4", StageSaid: "limited", Stage: "limited", Server: "mail", Method: "tools/call",
		Tool: "search_messages", Credential: "mail-readonly", Session: "inbox-1",
		ToolsetFingerprint: "fp1:e03d152b285edd392def7eca39289047fc2993e8c31d7e15c1fcb9138038ad80",
		Judgement: &ledgerv1.Judgement{
			Outcome: ledgerv1.Outcome_OUTCOME_RUN, PermitSeconds: 60,
			Reason: &ledgerv1.Reason{Code: "read_low", Sentence: "A read of low risk in stage limited.", Rule: "writ/data.yaml: stage_table.read_low"},
		},
		PolicyRevision: "sha256:0123", CatalogRevision: "sha256:4567", Inputs: []byte(`{"stage":"limited"}`),
		RequestDigest: sum, ArgumentsDigest: sum, TargetDigest: sum,
	}
}

func BenchmarkAppendDecision(b *testing.B) {
	d, traits, room := sampleDecision(), Classified{}, make([]byte, 0, 2048)
	for b.Loop() {
		if _, err := AppendDecision(room, d, &traits); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshalOfTheSame(b *testing.B) {
	d := sampleDecision()
	for b.Loop() {
		d.Traits = (&Classified{}).Record()
		if _, err := proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: d}}); err != nil {
			b.Fatal(err)
		}
	}
}
