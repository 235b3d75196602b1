package main

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

var errNoAnswer = errors.New("an answer that is none")

// outcomeOf reads the outcome of a DecideResponse: its first field.
func outcomeOf(answer []byte) (int, error) {
	field, kind, n := protowire.ConsumeTag(answer)
	if n < 0 || field != 1 || kind != protowire.VarintType {
		return 0, errNoAnswer
	}
	outcome, n := protowire.ConsumeVarint(answer[n:])
	if n < 0 || outcome < 1 || outcome > 4 {
		return 0, errNoAnswer
	}
	return int(outcome), nil
}

// allDecided says that a BatchDecideResponse holds a decision for each request, and
// no failure.
func allDecided(size int) func(answer []byte) (int, error) {
	return func(answer []byte) (int, error) {
		decided := 0
		for len(answer) > 0 {
			_, _, n := protowire.ConsumeTag(answer)
			if n < 0 {
				return 0, errNoAnswer
			}
			result, m := protowire.ConsumeBytes(answer[n:])
			if m < 0 {
				return 0, errNoAnswer
			}
			field, _, tag := protowire.ConsumeTag(result)
			response, whole := protowire.ConsumeBytes(result[max(0, tag):])
			if field != 1 || whole < 0 {
				return 0, errNoAnswer
			}
			if _, err := outcomeOf(response); err != nil {
				return 0, err
			}
			decided++
			answer = answer[n+m:]
		}
		if decided != size {
			return 0, errNoAnswer
		}
		return 0, nil
	}
}
