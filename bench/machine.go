package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// machine is what a figure depends on beside the code.
type machine struct {
	Time   time.Time `json:"time"`
	Go     string    `json:"go"`
	OS     string    `json:"os"`
	Arch   string    `json:"arch"`
	CPUs   int       `json:"cpus"`
	CPU    string    `json:"cpu"`
	Kernel string    `json:"kernel"`
	// Commit is what was built, with a plus sign where files differ from it.
	Commit string `json:"commit"`
	// Sync is the median time of one write and sync on a zero-filled file of the disk
	// that holds the log: what no durable answer can be faster than.
	Sync time.Duration `json:"sync_ns"`
}

var kernelNumbers = regexp.MustCompile(`^[0-9.]*[0-9]`)

// factsOf says what can be found out; what cannot stays empty.
func factsOf(ctx context.Context, dir string) machine {
	m := machine{
		Time: time.Now().UTC(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
	}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		_, after, _ := strings.Cut(string(info), "model name")
		line, _, _ := strings.Cut(after, "\n")
		m.CPU = strings.Trim(line, "\t :")
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		// What follows the numbers names a build, and tells a reader nothing.
		m.Kernel = kernelNumbers.FindString(string(release))
	}
	if took, err := syncTime(dir); err == nil {
		m.Sync = took
	}
	m.Commit = commit(ctx)
	return m
}

// commit names what is checked out here; empty where this is no checkout.
func commit(ctx context.Context) string {
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return ""
	}
	name := strings.TrimSpace(string(head))
	if changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=no").Output(); err != nil || len(changed) > 0 {
		name += "+"
	}
	return name
}

// syncTime writes and syncs pages of a zero-filled file, as the ledger does.
func syncTime(dir string) (time.Duration, error) {
	const page, times = 4096, 200
	file, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = errors.Join(file.Close(), os.Remove(file.Name())) }()
	if _, err := file.Write(make([]byte, page*times)); err != nil {
		return 0, err
	}
	if err := file.Sync(); err != nil {
		return 0, err
	}
	took := make([]time.Duration, times)
	for i := range took {
		began := time.Now()
		if _, err := file.WriteAt(bytes.Repeat([]byte{1}, page), int64(i)*page); err != nil {
			return 0, err
		}
		if err := dataSync(file); err != nil {
			return 0, err
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[times/2], nil
}
