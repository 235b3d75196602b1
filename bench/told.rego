# payments.rego, but for a reason that tells the amount: an answer to one amount is of no
# use to another.
package writ

verdict contains {
	"outcome": "REFUSE",
	"code": "amount_over_limit",
	"reason": sprintf("%v is over 9000, and such payments are made by people.", [input.arguments.amount]),
} if {
	startswith(input.tool, "pay_")
	input.arguments.amount > 9000
}
