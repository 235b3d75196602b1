package decisions_test

import (
	"errors"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

func TestDecisionID(t *testing.T) {
	const log = "5f3c09ab5f3c09ab5f3c09ab5f3c09ab"
	id := decisions.DecisionID(log, 1742)
	if id != "5f3c09ab-1742" {
		t.Errorf("got %s", id)
	}
	prefix, sequence, err := decisions.ParseDecisionID(id)
	if prefix != "5f3c09ab" || sequence != 1742 || err != nil {
		t.Errorf("got %s, %d, %v", prefix, sequence, err)
	}
}

func TestParseDecisionIDRefuses(t *testing.T) {
	for _, id := range []string{
		"", "-", "5f3c09ab", "5f3c09ab-", "-1742", "5f3c09a-1", "5f3c09ab0-1", "5F3C09AB-1", "5f3c09ab-01",
		"5f3c09ab-+1", "5f3c09ab--1", "5f3c09ab-1 ", "5f3c09ab-1-2", "5f3c09ab-18446744073709551616", "5f3c09ag-1",
	} {
		if _, _, err := decisions.ParseDecisionID(id); !errors.Is(err, decisions.ErrDecisionID) {
			t.Errorf("%q: got %v, expected ErrDecisionID", id, err)
		}
	}
}
