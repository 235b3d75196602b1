package decisions

import "slices"

// EarlierStage returns the earlier of two rollout stages in the order that the
// policy gives, which has at least one. An empty or unknown stage means the first,
// in which nothing is real (R9, R10).
func EarlierStage(order []string, a, b string) string {
	return order[max(0, min(slices.Index(order, a), slices.Index(order, b)))]
}
