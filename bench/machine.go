package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
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
	// Sync is the median time of one write and sync on a zero-filled file of the disk
	// that holds the log: what no durable answer can be faster than.
	Sync time.Duration `json:"sync_ns"`
}

var kernelNumbers = regexp.MustCompile(`^[0-9.]*[0-9]`)

// factsOf says what can be found out; what cannot stays empty.
func factsOf(dir string) machine {
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
	return m
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

// ticksPerSecond is USER_HZ, the unit of CPU times in /proc: 100 on every Linux.
const ticksPerSecond = 100

// cpuOf returns the CPU time that a process has used, in user and system.
func cpuOf(pid int) (time.Duration, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("CPU time is read from /proc, so run on Linux: %w", err)
	}
	return parseCPU(content)
}

// parseCPU reads utime and stime, fields 14 and 15 of proc_pid_stat(5). The second
// field is a name in parentheses that may hold spaces and parentheses itself.
func parseCPU(stat []byte) (time.Duration, error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/PID/stat: expected at least 15 fields in %q", stat)
	}
	user, userErr := strconv.ParseInt(string(fields[11]), 10, 64)
	system, systemErr := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(user+system) * (time.Second / ticksPerSecond), errors.Join(userErr, systemErr)
}
