package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// ghzLoad is one method under load.
type ghzLoad struct {
	method string // as ghz takes it
	// data is a file of messages, each behind its length (a varint); empty: one
	// empty message.
	data    string
	callers int
}

// ghzRun runs ghz once.
func (s settings) ghzRun(ctx context.Context, address string, l ghzLoad, duration time.Duration) (sample, error) {
	r, err := s.runGhz(ctx, address, l, duration)
	return sample{answers: r.Status["OK"], took: r.Total, p50: r.at(50), p99: r.at(99)}, err
}

// runGhz waits for every answer, so that what was counted and what the service
// answered are the same.
func (s settings) runGhz(ctx context.Context, address string, l ghzLoad, duration time.Duration) (ghzReport, error) {
	dir, err := os.MkdirTemp(s.dir, "writ-ghz-")
	if err != nil {
		return ghzReport{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "report.json")
	args := []string{
		"--insecure", "--call", l.method,
		"--concurrency", strconv.Itoa(l.callers),
		"--connections", strconv.Itoa(min(s.Connections, l.callers)),
		"--duration", duration.String(), "--duration-stop", "wait",
		"--format", "json", "--output", file,
	}
	if l.data != "" {
		args = append(args, "--binary-file", l.data)
	}
	out, err := exec.CommandContext(ctx, s.ghz, append(args, address)...).CombinedOutput()
	if err != nil {
		return ghzReport{}, fmt.Errorf("%s %s: %w: %s", s.ghz, l.method, err, out)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return ghzReport{}, err
	}
	return parseReport(content)
}

// ghzReport is what we read of ghz's JSON. Times are in nanoseconds.
type ghzReport struct {
	Total   time.Duration  `json:"total"`
	Status  map[string]int `json:"statusCodeDistribution"`
	Errors  map[string]int `json:"errorDistribution"`
	Latency []percentile   `json:"latencyDistribution"`
}

type percentile struct {
	Percentage int           `json:"percentage"`
	Latency    time.Duration `json:"latency"`
}

func parseReport(content []byte) (ghzReport, error) {
	var r ghzReport
	if err := json.Unmarshal(content, &r); err != nil {
		return ghzReport{}, fmt.Errorf("report of ghz: %w", err)
	}
	if len(r.Errors) > 0 {
		return ghzReport{}, fmt.Errorf("a run with failed calls measures nothing: %v", r.Errors)
	}
	if r.Status["OK"] == 0 || r.Total <= 0 || r.at(50) == 0 || r.at(99) == 0 {
		return ghzReport{}, fmt.Errorf("report of ghz holds no answers or no latencies: %v", r.Status)
	}
	return r, nil
}

// at returns the latency below which p of 100 answers came; 0 where ghz says none.
func (r ghzReport) at(p int) time.Duration {
	for _, l := range r.Latency {
		if l.Percentage == p {
			return l.Latency
		}
	}
	return 0
}
