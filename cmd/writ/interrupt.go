package main

import (
	"context"
	"errors"
	"time"
)

// interruptGrace is how long a command may take to end by itself once it is told to.
const interruptGrace = 2 * time.Second

// errInterrupted ends a command that could not look up from what it waited for.
var errInterrupted = errors.New("interrupted")

// graceOf is 0 for commands that stop in order and bound that themselves.
func graceOf(command string) time.Duration {
	if command == "serve" || command == "demo" {
		return 0
	}
	return interruptGrace
}

// interruptible runs a command and, once ctx is done, leaves it alone after the grace:
// a read from a terminal or a pipe knows no context. With a grace of 0 it waits.
func interruptible(ctx context.Context, grace time.Duration, command func() error) error {
	if grace == 0 {
		return command()
	}
	ended := make(chan error, 1)
	go func() { ended <- command() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(grace):
		return errInterrupted
	}
}
