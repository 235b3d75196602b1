package writ_test

import data.writ

# One call for each row, which matches no other row where that can be.
calls := {
	"read_low": {"effect": "read", "risk": "low", "undo": "trivial", "exposure": "none"},
	"read_medium": {"effect": "read", "risk": "medium", "undo": "trivial", "exposure": "none"},
	"read_high": {"effect": "read", "risk": "high", "undo": "trivial", "exposure": "none"},
	"exposes_sensitive": {"effect": "read", "risk": "low", "undo": "trivial", "exposure": "sensitive"},
	"exposes_outbound": {"effect": "read", "risk": "low", "undo": "trivial", "exposure": "outbound"},
	"write_low": {"effect": "write", "risk": "low", "undo": "trivial", "exposure": "none"},
	"write_medium": {"effect": "write", "risk": "medium", "undo": "trivial", "exposure": "none"},
	"write_high": {"effect": "write", "risk": "high", "undo": "trivial", "exposure": "none"},
	"write_final": {"effect": "write", "risk": "low", "undo": "impossible", "exposure": "none"},
}

# answer is what a row says about its call in a stage: one outcome and approval.
answer(row, stage) := said if {
	traits := object.union(calls[row], {"collection": false})
	verdicts := writ.verdict with input as {"stage": stage, "scope": {"stated": false}, "traits": traits}
	said := {[v.outcome, v.approval] | some v in verdicts; v.code == row}
}

run := {["RUN", "none"]}

session := {["AWAIT_APPROVAL", "session"]}

per_call := {["AWAIT_APPROVAL", "per_call"]}

record_only := {["RECORD_ONLY", "none"]}

refuse := {["REFUSE", "none"]}

test_rehearsal if {
	answer("read_low", "rehearsal") == run
	answer("read_medium", "rehearsal") == run
	answer("read_high", "rehearsal") == record_only
	answer("exposes_sensitive", "rehearsal") == record_only
	answer("exposes_outbound", "rehearsal") == record_only
	answer("write_low", "rehearsal") == record_only
	answer("write_medium", "rehearsal") == record_only
	answer("write_high", "rehearsal") == record_only
	answer("write_final", "rehearsal") == record_only
}

test_supervised if {
	answer("read_low", "supervised") == run
	answer("read_medium", "supervised") == session
	answer("read_high", "supervised") == per_call
	answer("exposes_sensitive", "supervised") == per_call
	answer("exposes_outbound", "supervised") == per_call
	answer("write_low", "supervised") == session
	answer("write_medium", "supervised") == per_call
	answer("write_high", "supervised") == record_only
	answer("write_final", "supervised") == per_call
}

test_limited if {
	answer("read_low", "limited") == run
	answer("read_medium", "limited") == run
	answer("read_high", "limited") == session
	answer("exposes_sensitive", "limited") == session
	answer("exposes_outbound", "limited") == session
	answer("write_low", "limited") == run
	answer("write_medium", "limited") == session
	answer("write_high", "limited") == per_call
	answer("write_final", "limited") == per_call
}

test_general if {
	answer("read_low", "general") == run
	answer("read_medium", "general") == run
	answer("read_high", "general") == run
	answer("exposes_sensitive", "general") == run
	answer("exposes_outbound", "general") == run
	answer("write_low", "general") == run
	answer("write_medium", "general") == run
	answer("write_high", "general") == run
	answer("write_final", "general") == per_call
}

test_unknown_stage_refuses if {
	answer("read_low", "") == refuse
	answer("read_low", "generl") == refuse
}

test_row_that_the_table_lacks_refuses if {
	answer("read_low", "general") == refuse with data.writ.stage_table as {}
}

test_refuse_is_a_word_of_the_table if {
	answer("read_low", "general") == refuse with data.writ.stage_table as {"read_low": {"general": "REFUSE"}}
}

test_verdict_in_full if {
	verdicts := writ.verdict with input as {
		"stage": "limited",
		"scope": {"stated": false},
		"traits": object.union(calls.write_medium, {"collection": false}),
	}
	verdicts == {{
		"outcome": "AWAIT_APPROVAL",
		"approval": "session",
		"code": "write_medium",
		"reason": "A write of medium risk in stage limited.",
		"rule": "writ/data.yaml: stage_table.write_medium",
		"permit_seconds": 60,
	}}
}

test_reasons_name_the_row if {
	titles := {title |
		some traits in calls
		some title in writ.matching_rows with input.traits as traits
	}
	titles == {
		"A read of low risk",
		"A read of medium risk",
		"A read of high risk",
		"A call that exposes sensitive data",
		"A call that reaches outside",
		"A write of low risk",
		"A write of medium risk",
		"A write of high risk",
		"A write that cannot be undone",
	}
}
