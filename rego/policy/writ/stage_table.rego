package writ

# METADATA
# title: What the table's words mean
cells := {
	"RUN": {"outcome": "RUN", "approval": "none"},
	"S": {"outcome": "AWAIT_APPROVAL", "approval": "session"},
	"A": {"outcome": "AWAIT_APPROVAL", "approval": "per_call"},
	"RECORD_ONLY": {"outcome": "RECORD_ONLY", "approval": "none"},
	"REFUSE": {"outcome": "REFUSE", "approval": "none"},
}

# METADATA
# title: The stage table
# description: |
#   Each matching row answers for the call's stage; the strictest one holds. A row or a
#   stage that the table lacks refuses.
# custom:
#   code: the row's name
verdict contains {
	"outcome": cell.outcome,
	"approval": cell.approval,
	"code": row,
	"reason": concat("", [title, " in stage ", input.stage, "."]),
	"rule": concat("", ["writ/data.yaml: stage_table.", row]),
	"permit_seconds": data.writ.permit_seconds,
} if {
	some row, title in matching_rows
	cell := cells[object.get(data.writ.stage_table, [row, input.stage], "REFUSE")]
}
