package writ

# METADATA
# title: What the matching rows answer
words contains data.writ.stage_table[row][input.stage] if some row, _ in matching_rows

# METADATA
# title: The table asks for an approval
# description: True where an approval is the strictest of the matching rows' answers.
table_asks_approval if {
	count(words & {"A", "S"}) > 0
	count(words & {"RECORD_ONLY", "REFUSE"}) == 0
}

# METADATA
# title: A collection without a scope
# description: An approver must see which things a call touches, and how many.
# custom:
#   code: scope_missing
verdict contains {
	"outcome": "REFUSE",
	"code": "scope_missing",
	"reason": "The call acts on many things and needs an approval, but does not say on which: send scope.selection and scope.count.",
} if {
	input.traits.collection
	not input.scope.stated
	table_asks_approval
}
