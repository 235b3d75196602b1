package grpcapi

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

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
