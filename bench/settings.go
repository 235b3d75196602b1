package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// settings are what can be asked for on the command line.
type settings struct {
	writ, ghz, opa, benchstat, dir, output, save string

	Quick       bool          `json:"quick,omitempty"`
	Soak        time.Duration `json:"soak_ns,omitempty"`
	Growth      bool          `json:"growth,omitempty"`
	Longest     int           `json:"longest,omitempty"`
	Peers       bool          `json:"peers,omitempty"`
	Against     string        `json:"against,omitempty"`
	Rounds      int           `json:"rounds"`
	Duration    time.Duration `json:"duration_ns"`
	Connections int           `json:"connections"`
	Concurrency levels        `json:"concurrency"`
	Requests    int           `json:"requests"`
}

// levels are numbers of concurrent callers.
type levels []int

// String lists the levels as the flag takes them.
func (l *levels) String() string {
	words := make([]string, len(*l))
	for i, n := range *l {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// Set reads a list such as "1,16,64".
func (l *levels) Set(list string) error {
	var all levels
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a number of callers", word)
		}
		all = append(all, n)
	}
	*l = all
	return nil
}

// flagsOf are all there are, into settings; docs/performance.md lists them.
func flagsOf(s *settings) *flag.FlagSet {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&s.writ, "writ", ".bin/writ", "the service's `binary`")
	flags.StringVar(&s.ghz, "ghz", ".bin/ghz", "the load generator's `binary`")
	flags.StringVar(&s.opa, "opa", ".bin/opa", "OPA's `binary`, for -peers")
	flags.StringVar(&s.benchstat, "benchstat", ".bin/benchstat", "benchstat's `binary`, for -against")
	flags.StringVar(&s.dir, "dir", ".bin", "where to put the temporary data `directory`: the disk that is measured, so no memory disk")
	flags.StringVar(&s.output, "o", "table", "output: table or json")
	flags.StringVar(&s.save, "save", "", "`directory` to save the result in, as JSON, with its charts")
	flags.BoolVar(&s.Quick, "quick", false, "only 64 callers, one second a run, nothing in process: under a minute")
	flags.DurationVar(&s.Soak, "soak", 0, "instead: the mix for so long, with memory and index lag over time")
	flags.BoolVar(&s.Growth, "growth", false, "instead: at ten, a hundred and a thousand times the tools, releases, rules and log")
	flags.IntVar(&s.Longest, "longest", 10_000_000, "for -growth: `entries` of the longest log, about 1 kB each")
	flags.BoolVar(&s.Peers, "peers", false, "instead: beside OPA's own server, with the same rules and calls")
	flags.StringVar(&s.Against, "against", "", "instead: beside this git `commit`, by turns; fails where something got worse beyond noise (-quick: without the Go benchmarks)")
	flags.IntVar(&s.Rounds, "rounds", 5, "how often each load is run; medians are compared")
	flags.DurationVar(&s.Duration, "duration", 3*time.Second, "how long each run takes")
	flags.IntVar(&s.Connections, "connections", 4, "connections of the load generators")
	flags.Var(&s.Concurrency, "concurrency", "numbers of concurrent callers of ghz")
	flags.IntVar(&s.Requests, "requests", 10_000, "how many different plain calls to send by turns")
	return flags
}

// parse reads the flags. It has said what is wrong when it returns an error.
func parse(args []string, errOut io.Writer) (settings, error) {
	s := settings{Concurrency: levels{1, 16, 64}}
	flags := flagsOf(&s)
	flags.SetOutput(errOut)
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.Quick {
		s.Duration, s.Concurrency = time.Second, levels{64}
	}
	err := s.check()
	if err != nil {
		_, _ = fmt.Fprintln(errOut, "bench:", err)
	}
	return s, err
}

func (s settings) check() error {
	switch {
	case s.output != "table" && s.output != "json":
		return fmt.Errorf("-o %s: expected table or json", s.output)
	case s.Rounds < 1 || s.Connections < 1:
		return errors.New("-rounds and -connections: expected at least 1")
	case s.Duration < time.Second:
		return fmt.Errorf("-duration %v: CPU time is counted in hundredths of a second, so use at least 1s", s.Duration)
	case s.Requests < 1000:
		return fmt.Errorf("-requests %d: expected at least 1000, or the service answers one call again and again", s.Requests)
	}
	return nil
}

// mode names what is run, and the files of its result.
func (s settings) mode() string {
	switch {
	case s.Soak > 0:
		return "soak"
	case s.Growth:
		return "growth"
	case s.Peers:
		return "peers"
	case s.Against != "":
		return "against"
	}
	return "decide"
}

// run does what was asked for.
func (s settings) run(ctx context.Context, dir string, progress io.Writer) (report, error) {
	switch s.mode() {
	case "soak":
		return runSoak(ctx, s, dir, progress)
	case "growth":
		return runGrowth(ctx, s, dir, progress)
	case "peers":
		return runPeers(ctx, s, dir, progress)
	case "against":
		return runAgainst(ctx, s, dir, progress)
	}
	return runHeadline(ctx, s, dir, progress)
}
