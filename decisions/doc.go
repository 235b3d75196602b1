// Package decisions is Writ's vocabulary: what is asked of it, what it answers,
// and how an answer is proved. It is pure: no clock, no disk, no network.
//
// The zero value of every type refuses or is the strictest one (R2, R11).
package decisions
