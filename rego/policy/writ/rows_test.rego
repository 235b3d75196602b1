package writ_test

import data.writ

# rows are the rows that a call with these traits matches.
rows(effect, risk, undo, exposure) := keys if {
	traits := {"effect": effect, "risk": risk, "undo": undo, "exposure": exposure}
	keys := object.keys(writ.matching_rows) with input.traits as traits
}

test_reads_match_by_risk if {
	rows("read", "low", "trivial", "none") == {"read_low"}
	rows("read", "low", "possible", "internal") == {"read_low"}
	rows("read", "medium", "trivial", "none") == {"read_medium"}
	rows("read", "high", "trivial", "none") == {"read_high"}
}

test_writes_match_by_risk if {
	rows("write", "low", "trivial", "none") == {"write_low"}
	rows("write", "medium", "possible", "internal") == {"write_medium"}
	rows("write", "high", "trivial", "none") == {"write_high"}
}

test_exposure_matches_beside_risk if {
	rows("read", "low", "trivial", "sensitive") == {"exposes_sensitive"}
	rows("read", "low", "trivial", "outbound") == {"exposes_outbound"}
	rows("read", "medium", "trivial", "sensitive") == {"read_medium", "exposes_sensitive"}
	rows("write", "low", "trivial", "sensitive") == {"write_low", "exposes_sensitive"}
	rows("write", "low", "trivial", "outbound") == {"write_low", "exposes_outbound"}
}

test_only_writes_match_by_undo if {
	rows("write", "low", "impossible", "none") == {"write_low", "write_final"}
	rows("read", "low", "impossible", "none") == {"read_low"}
}

test_strictest_traits_match_all_strict_rows if {
	rows("write", "high", "impossible", "outbound") == {"write_high", "write_final", "exposes_outbound"}
}

test_every_call_matches_a_row if {
	every effect in ["read", "write"] {
		every risk in ["low", "medium", "high"] {
			every undo in ["trivial", "possible", "impossible"] {
				every exposure in ["none", "internal", "sensitive", "outbound"] {
					count(rows(effect, risk, undo, exposure)) > 0
				}
			}
		}
	}
}
