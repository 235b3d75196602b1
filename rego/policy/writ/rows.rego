# METADATA
# title: The default policy
# description: Judges a call by its effective traits and its rollout stage.
# scope: package
package writ

# METADATA
# title: Reads of low risk that expose nothing outside
matching_rows["read_low"] := "A read of low risk" if {
	input.traits.effect == "read"
	input.traits.risk == "low"
	input.traits.exposure in {"none", "internal"}
}

# METADATA
# title: Reads of medium risk
matching_rows["read_medium"] := "A read of medium risk" if {
	input.traits.effect == "read"
	input.traits.risk == "medium"
}

# METADATA
# title: Reads of high risk
matching_rows["read_high"] := "A read of high risk" if {
	input.traits.effect == "read"
	input.traits.risk == "high"
}

# METADATA
# title: Calls that expose sensitive data
# description: A write as well as a read, since a stricter effect never makes a call gentler.
matching_rows["exposes_sensitive"] := "A call that exposes sensitive data" if input.traits.exposure == "sensitive"

# METADATA
# title: Calls that send or publish something outside
matching_rows["exposes_outbound"] := "A call that reaches outside" if input.traits.exposure == "outbound"

# METADATA
# title: Writes of low risk
matching_rows["write_low"] := "A write of low risk" if {
	input.traits.effect == "write"
	input.traits.risk == "low"
}

# METADATA
# title: Writes of medium risk
matching_rows["write_medium"] := "A write of medium risk" if {
	input.traits.effect == "write"
	input.traits.risk == "medium"
}

# METADATA
# title: Writes of high risk
matching_rows["write_high"] := "A write of high risk" if {
	input.traits.effect == "write"
	input.traits.risk == "high"
}

# METADATA
# title: Writes that cannot be undone
matching_rows["write_final"] := "A write that cannot be undone" if {
	input.traits.effect == "write"
	input.traits.undo == "impossible"
}
