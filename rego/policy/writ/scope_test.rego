package writ_test

import data.writ

# scope_refuses are the refusals for want of a scope.
scope_refuses(row, stage, changes) := refusals if {
	verdicts := writ.verdict with input as object.union(
		{
			"stage": stage,
			"scope": {"stated": false},
			"traits": object.union(calls[row], {"collection": true}),
		},
		changes,
	)
	refusals := {v | some v in verdicts; v.code == "scope_missing"}
}

scope_missing := {{
	"outcome": "REFUSE",
	"code": "scope_missing",
	"reason": "The call acts on many things and needs an approval, but does not say on which: send scope.selection and scope.count.",
}}

test_collection_without_scope_has_no_approval if {
	scope_refuses("write_medium", "supervised", {}) == scope_missing
	scope_refuses("write_low", "supervised", {}) == scope_missing
}

test_collection_with_scope_may_be_approved if {
	scope_refuses("write_medium", "supervised", {"scope": {"stated": true}}) == set()
}

test_single_thing_needs_no_scope if {
	scope_refuses("write_medium", "supervised", {"traits": {"collection": false}}) == set()
}

test_nothing_to_approve_needs_no_scope if {
	scope_refuses("write_medium", "general", {}) == set()
}

# A write of high risk is only recorded, though its row for undo asks for an approval.
test_what_is_withheld_needs_no_scope if {
	scope_refuses("write_high", "supervised", {"traits": {"undo": "impossible"}}) == set()
	scope_refuses("write_medium", "supervised", {}) == set() with data.writ.stage_table.write_medium.supervised as "REFUSE"
	scope_refuses("write_high", "supervised", {"traits": {"undo": "impossible"}}) == set() with data.writ.stage_table.write_high.supervised as "REFUSE"
}
