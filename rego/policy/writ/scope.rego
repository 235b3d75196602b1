package writ

# METADATA
# title: What the matching rows answer
cell_words contains row.then[input.stage] if some row in matching_rows

# METADATA
# title: The table asks for an approval
# description: True where an approval is the strictest of the matching rows' answers.
table_asks_approval if {
	count(cell_words & {"A", "S"}) > 0
	count(cell_words & {"RECORD_ONLY", "REFUSE"}) == 0
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
	table_asks_approval
	input.traits.collection
	not input.scope.stated
}
