package grpcapi_test

import (
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/writ-dev/writ/decisions"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

func (s *service) checkpoint(t *testing.T, signed []byte) decisions.Checkpoint {
	t.Helper()
	v, err := note.NewVerifier(s.log.VerifierKey())
	must(t, err)
	c, err := decisions.ParseCheckpoint(signed, v)
	must(t, err)
	return c
}

func hashes(raw [][]byte) (path []decisions.Hash) {
	for _, h := range raw {
		path = append(path, decisions.Hash(h))
	}
	return path
}

// R34: what an answer carries is provable at once, by decision id, and what was proven
// is still there in the log as it grew.
func TestProve(t *testing.T) {
	s := startSample(t)
	answer, err := s.decisions.Decide(t.Context(), sampleCall())
	must(t, err)
	by := &writv1.ProveInclusionRequest_DecisionId{DecisionId: answer.GetDecisionId()}
	p, err := s.entries.ProveInclusion(t.Context(), &writv1.ProveInclusionRequest{By: by})
	must(t, err)
	leaf := decisions.Hash(answer.GetLog().GetLeafHash())
	early := s.checkpoint(t, p.GetCheckpoint())
	if early.Size != p.GetTreeSize() || decisions.LeafHash(p.GetRaw()) != leaf {
		t.Errorf("a tree of %d and a checkpoint of %d, entry %x", p.GetTreeSize(), early.Size, p.GetRaw())
	}
	in := decisions.Inclusion{Index: answer.GetLog().GetSequence(), Size: early.Size, Path: hashes(p.GetPath())}
	must(t, in.Check(leaf, early.Root))

	later, err := s.decisions.Decide(t.Context(), sampleCall())
	must(t, err)
	size := later.GetLog().GetSequence() + 1
	grown, err := s.entries.ProveConsistency(t.Context(), &writv1.ProveConsistencyRequest{FromSize: early.Size, TreeSize: size})
	must(t, err)
	if c := s.checkpoint(t, grown.GetCheckpoint()); c.Size < size || grown.GetTreeSize() != size {
		t.Errorf("a checkpoint of %d and a tree of %d, expected %d", c.Size, grown.GetTreeSize(), size)
	}
	grown, err = s.entries.ProveConsistency(t.Context(), &writv1.ProveConsistencyRequest{FromSize: early.Size})
	must(t, err)
	now := s.checkpoint(t, grown.GetCheckpoint())
	must(t, decisions.Consistency{From: early.Size, Size: now.Size, Path: hashes(grown.GetPath())}.Check(early.Root, now.Root))

	// In the tree of the checkpoint that the caller has kept.
	p, err = s.entries.ProveInclusion(t.Context(), &writv1.ProveInclusionRequest{By: by, TreeSize: early.Size})
	must(t, err)
	in.Path = hashes(p.GetPath())
	must(t, in.Check(leaf, early.Root))
}

func TestProveRefuses(t *testing.T) {
	s := startSample(t)
	at := func(n uint64) *writv1.ProveInclusionRequest_Sequence {
		return &writv1.ProveInclusionRequest_Sequence{Sequence: n}
	}
	for name, c := range map[string]struct {
		request *writv1.ProveInclusionRequest
		code    codes.Code
		says    string
	}{
		"nothing named":        {&writv1.ProveInclusionRequest{}, codes.InvalidArgument, "by: is not set"},
		"no id":                {&writv1.ProveInclusionRequest{By: &writv1.ProveInclusionRequest_DecisionId{DecisionId: "x"}}, codes.InvalidArgument, "decision_id"},
		"of another log":       {&writv1.ProveInclusionRequest{By: &writv1.ProveInclusionRequest_DecisionId{DecisionId: "00000000-1"}}, codes.NotFound, "this is log"},
		"not there":            {&writv1.ProveInclusionRequest{By: at(1 << 40)}, codes.NotFound, "the log has"},
		"beyond any number":    {&writv1.ProveInclusionRequest{By: at(1<<64 - 1)}, codes.NotFound, "the log has"},
		"a tree without it":    {&writv1.ProveInclusionRequest{By: at(1), TreeSize: 1}, codes.InvalidArgument, "tree_size: is 1"},
		"a tree not grown yet": {&writv1.ProveInclusionRequest{By: at(1), TreeSize: 1 << 40}, codes.InvalidArgument, "at most the log's"},
	} {
		_, err := s.entries.ProveInclusion(t.Context(), c.request)
		if status.Code(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v that says %q", name, err, c.code, c.says)
		}
	}
	for name, c := range map[string]struct {
		from, size uint64
		says       string
	}{
		"from nothing":         {0, 0, "from_size: is 0"},
		"beyond":               {1 << 40, 0, "from_size"},
		"backwards":            {2, 1, "tree_size: is 1"},
		"a tree not grown yet": {1, 1 << 40, "at most the log's"},
	} {
		_, err := s.entries.ProveConsistency(t.Context(), &writv1.ProveConsistencyRequest{FromSize: c.from, TreeSize: c.size})
		if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), c.says) {
			t.Errorf("consistency, %s: got %v, want INVALID_ARGUMENT that says %q", name, err, c.says)
		}
	}
}
