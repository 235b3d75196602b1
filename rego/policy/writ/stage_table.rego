# METADATA
# title: The default policy
# description: Judges a call by its effective traits and its rollout stage.
# scope: package
package writ

# METADATA
# title: Rows that match the call's traits
# description: Every combination of traits matches at least one row.
matching_rows contains row if {
	some row in data.writ.stage_table
	input.traits.effect in row.effect
	input.traits.risk in row.risk
	input.traits.exposure in row.exposure
	input.traits.undo in row.undo
}

# METADATA
# title: What each word of the table means
cells := {
	"RUN": {"outcome": "RUN", "says": "runs"},
	"S": {"outcome": "AWAIT_APPROVAL", "approval": "session", "says": "waits for an approval of its session"},
	"A": {"outcome": "AWAIT_APPROVAL", "approval": "per_call", "says": "waits for an approval"},
	"RECORD_ONLY": {"outcome": "RECORD_ONLY", "says": "is only recorded"},
	"REFUSE": {"outcome": "REFUSE", "says": "is refused"},
}

# METADATA
# title: The stage table
# description: Each matching row answers for the call's stage; the strictest one holds.
# custom:
#   code: the matching row's code
verdict contains answer if {
	some row in matching_rows
	cell := cells[row.then[input.stage]]
	answer := object.union(object.remove(cell, {"says"}), {
		"code": row.code,
		"reason": sprintf("%s %s in stage %s.", [row.title, cell.says, input.stage]),
		"rule": sprintf("writ/stage_table.rego: row %d", [row.row]),
		"permit_seconds": data.writ.permit_seconds,
	})
}
