package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// age is a length of time: Go's units, or days ("400d").
type age time.Duration

// UnmarshalText reads it.
func (a *age) UnmarshalText(text []byte) error {
	if days, found := strings.CutSuffix(string(text), "d"); found {
		n, err := strconv.ParseUint(days, 10, 32)
		if err != nil || n > math.MaxInt64/uint64(24*time.Hour) {
			return fmt.Errorf("%q: expected a number of days, as 400d", text)
		}
		*a = age(time.Duration(n) * 24 * time.Hour) //nolint:gosec // bounded above
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("%q: expected days or hours, as 400d or 36h", text)
	}
	*a = age(d)
	return nil
}

// byteSize is a number of bytes, with a binary unit or without ("100GiB").
type byteSize int64

// UnmarshalText reads it.
func (b *byteSize) UnmarshalText(text []byte) error {
	digits, shift := string(text), 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if before, found := strings.CutSuffix(digits, unit); found {
			digits, shift = before, 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return fmt.Errorf("%q: expected a number of bytes, as 100GiB, 512MiB or 1048576", text)
	}
	*b = byteSize(n << shift)
	return nil
}

// moment is a time, a day, or an age before now.
type moment struct {
	at  time.Time
	age age
}

// UnmarshalText reads it.
func (m *moment) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, string(text)); err == nil {
			m.at = at
			return nil
		}
	}
	if err := m.age.UnmarshalText(text); err != nil || m.age == 0 {
		return fmt.Errorf("%q: expected a day (2026-01-31), a time (RFC 3339) or an age (400d)", text)
	}
	return nil
}

// before is that time; zero where none was said.
func (m moment) before(now time.Time) time.Time {
	if m.age > 0 {
		return now.Add(-time.Duration(m.age))
	}
	return m.at
}
