package decisions

import "testing"

// R10: the earlier holds; empty or unknown means the first.
func TestEarlierStage(t *testing.T) {
	order := []string{"rehearsal", "supervised", "limited", "general"}
	for _, c := range []struct{ said, held, want string }{
		{"general", "general", "general"},
		{"general", "limited", "limited"},
		{"limited", "general", "limited"},
		{"rehearsal", "general", "rehearsal"},
		{"", "general", "rehearsal"},
		{"general", "", "rehearsal"},
		{"General", "general", "rehearsal"},
		{"production", "production", "rehearsal"},
		{"", "", "rehearsal"},
	} {
		if got := EarlierStage(order, c.said, c.held); got != c.want {
			t.Errorf("said %q, held %q: %s, want %s", c.said, c.held, got, c.want)
		}
	}
}
