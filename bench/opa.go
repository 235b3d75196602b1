package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"time"

	"github.com/writ-dev/writ/bench/load"
)

// opaServer is a running `opa run --server`.
type opaServer struct {
	address string
	cmd     *exec.Cmd
	log     *os.File
	// logged is the log's size when the warm-up was over.
	logged int64
}

// startOPA serves a policy's directory without its tests. What OPA says, and with
// decisions its decision log, goes to a file: the console that a service manager
// would keep.
func (s settings) startOPA(ctx context.Context, policy, logFile string, decisions bool) (*opaServer, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	args := []string{"run", "--server", "--addr", address, "--log-level", "error", "--log-level-request", "error", "--skip-version-check", "--ignore", "*_test.rego"}
	if decisions {
		args = append(args, "--set", "decision_logs.console=true")
	}
	o := &opaServer{address: address}
	if o.log, err = os.Create(logFile); err != nil { //nolint:gosec // below our own temporary directory
		return nil, err
	}
	o.cmd = exec.CommandContext(ctx, s.opa, append(args, policy)...)
	o.cmd.Stdout, o.cmd.Stderr = o.log, o.log
	if err := o.cmd.Start(); err != nil {
		return nil, errors.Join(err, o.log.Close())
	}
	if err := o.healthy(ctx); err != nil {
		return nil, errors.Join(err, o.end())
	}
	return o, nil
}

// healthy asks until OPA answers.
func (o *opaServer) healthy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for again := time.NewTicker(20 * time.Millisecond); ; {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+o.address+"/health", nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err == nil && answer.StatusCode == http.StatusOK {
			again.Stop()
			return answer.Body.Close()
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("OPA did not become ready: %w", errors.Join(ctx.Err(), err))
		}
	}
}

func (o *opaServer) end() error {
	_ = o.cmd.Process.Signal(os.Interrupt) // it may be gone already
	err := o.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil // it was told to stop
	}
	return errors.Join(err, o.log.Close())
}

func (o *opaServer) reading(context.Context) (reading, error) {
	var r reading
	var err error
	if r.cpu, err = cpuOf(o.cmd.Process.Pid); err != nil {
		return r, err
	}
	r.resident, r.peak, err = memoryOf(o.cmd.Process.Pid)
	return r, err
}

// load is one load over HTTP. OPA writes no log that could be counted as Writ's is.
func (o *opaServer) load(name string, next source, kind func([]byte) (int, error)) loading {
	spec := load.Spec{Method: name, Callers: mixCallers, Next: next, Kind: kind}
	return loading{name: name, base: empty, of: o, callers: mixCallers, drive: func(ctx context.Context, d time.Duration) (sample, error) {
		spec.Duration = d
		r, err := load.RunHTTP(ctx, o.address, spec)
		if err != nil {
			return sample{}, err
		}
		spec.From = r.Next
		return sampleOf(r), nil
	}}
}

// warm notes how long the log is.
func (o *opaServer) warm() error {
	info, err := o.log.Stat()
	if err == nil {
		o.logged = info.Size()
	}
	return err
}

// bytesPerAnswer is what the log grew by since, for each answer. OPA writes it
// behind its answers, so a little is missing.
func (o *opaServer) bytesPerAnswer(runs []run) (float64, error) {
	info, err := o.log.Stat()
	answers := 0
	for _, r := range runs {
		if r.Load == opaLogged {
			answers += r.Answers
		}
	}
	if err != nil || answers == 0 {
		return 0, err
	}
	return float64(info.Size()-o.logged) / float64(answers), nil
}

var versionLine = regexp.MustCompile(`(?m)^Version: (\S+)`)

func opaVersion(ctx context.Context, opa string) (string, error) {
	out, err := exec.CommandContext(ctx, opa, "version").Output()
	if err != nil {
		return "", fmt.Errorf("%s version: %w", opa, err)
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("%s version says %q", opa, out)
	}
	return string(m[1]), nil
}
