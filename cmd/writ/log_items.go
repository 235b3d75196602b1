package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/decisions/ledger"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// disclosing is the flags by which a command reads what an entry holds encrypted.
type disclosing struct {
	Disclose bool   `help:"Show what the policy masks too, and large inputs: read from --data, with the keys in --keys, without the service."`
	Data     string `default:"writ-data" env:"WRIT_DATA" type:"path" help:"The log's data directory, for --disclose."`
	Keys     string `env:"WRIT_KEYS" type:"path" help:"Directory of the log's keys, for --disclose; default: the data directory's name and .keys."`
}

func (d disclosing) options() ledger.VerifyOptions {
	return ledger.VerifyOptions{Dir: d.Data, KeyDir: d.Keys}
}

// show prints the inputs of a decision as the policy read them.
func (d disclosing) show(ctx context.Context, s streams, id string, asJSON bool) error {
	r, err := ledger.ReadEntry(ctx, d.options(), id)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Data, err)
	}
	if r.Entry.GetDecision() == nil {
		return fmt.Errorf("entry %d is no decision (%s), so there is nothing to disclose", r.Sequence, kindWord(r.Entry))
	}
	inputs, err := d.inputs(r.Entry.GetDecision())
	if err != nil {
		return fmt.Errorf("entry %d: %w", r.Sequence, err)
	}
	if asJSON {
		return printJSON(s.out, map[string]any{"sequence": r.Sequence, "inputs": json.RawMessage(cmp.Or(string(inputs), "null"))})
	}
	say(s.out, "entry %d, inputs as the policy read them:\n%s\n", r.Sequence, inputs)
	return nil
}

// inputs puts together what the entry holds in the clear and encrypted.
func (d disclosing) inputs(decision *ledgerv1.Decision) ([]byte, error) {
	inputs := decision.GetInputs()
	var masked []decisions.Disclosure
	for _, item := range decision.GetItems() {
		content, err := ledger.ReadItem(d.options(), item)
		var erased *ledger.ErasedError
		if errors.As(err, &erased) {
			return nil, fmt.Errorf("%s: %w: writ log show %d", itemWord(item), err, erased.By)
		}
		if err != nil {
			return nil, err
		}
		switch item.GetKind() {
		case ledgerv1.ItemKind_ITEM_KIND_INPUTS:
			inputs = content
		case ledgerv1.ItemKind_ITEM_KIND_DISCLOSURES:
			if masked, err = decisions.ParseDisclosures(content); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("an item of kind %v: it needs a newer version", item.GetKind())
		}
	}
	return decisions.Unmask(inputs, masked)
}

// showItems says of what an entry holds encrypted what became of it.
func showItems(t *table, answer *writv1.GetEntryResponse) {
	for i, item := range answer.GetEntry().GetEntry().GetDecision().GetItems() {
		state := &writv1.ItemStatus{}
		if i < len(answer.GetItems()) {
			state = answer.GetItems()[i]
		}
		switch state.GetState() {
		case writv1.ItemState_ITEM_STATE_KEPT:
			t.row(itemWord(item), "encrypted; writ log show --disclose shows it to who may read the keys")
		case writv1.ItemState_ITEM_STATE_ERASED:
			t.row(itemWord(item), erasedSentence(state.GetErased()))
		default:
			t.row(itemWord(item), "encrypted, and its key is not in the key directory")
		}
	}
}

func itemWord(item *ledgerv1.Item) string {
	switch item.GetKind() {
	case ledgerv1.ItemKind_ITEM_KIND_DISCLOSURES:
		return "masked values"
	case ledgerv1.ItemKind_ITEM_KIND_INPUTS:
		return "large inputs"
	}
	return "item"
}

// erasedSentence is what an Erased entry says.
func erasedSentence(e *writv1.LogEntry) string {
	erased := e.GetEntry().GetErased()
	said := fmt.Sprintf("erased on %s by %s (entry %d)",
		e.GetTime().AsTime().Local().Format(time.DateTime), erased.GetActor().GetName(), e.GetPosition().GetSequence())
	if why := erased.GetReason(); why != "" {
		said += ": " + why
	}
	return said
}
