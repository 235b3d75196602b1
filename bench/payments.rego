# What bench adds to the default policy, so that some calls have an argument that a
# rule reads, as payments do.
package writ

verdict contains {
	"outcome": "REFUSE",
	"code": "amount_over_limit",
	"reason": "Payments over 9000 are made by people.",
} if {
	startswith(input.tool, "pay_")
	input.arguments.amount > 9000
}
