package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

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

// memoryOf returns what a process holds in memory, and the most that it held.
func memoryOf(pid int) (resident, peak uint64, err error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, fmt.Errorf("memory is read from /proc, so run on Linux: %w", err)
	}
	return parseMemory(content)
}

// parseMemory reads VmRSS and VmHWM of proc_pid_status(5), which are in KiB.
func parseMemory(status []byte) (resident, peak uint64, err error) {
	for line := range bytes.Lines(status) {
		name, rest, _ := bytes.Cut(line, []byte(":"))
		into := map[string]*uint64{"VmRSS": &resident, "VmHWM": &peak}[string(name)]
		fields := bytes.Fields(rest)
		if into == nil || len(fields) == 0 {
			continue
		}
		kib, parseErr := strconv.ParseUint(string(fields[0]), 10, 54)
		*into, err = kib<<10, errors.Join(err, parseErr)
	}
	if resident == 0 || peak == 0 {
		err = errors.Join(err, fmt.Errorf("/proc/PID/status: expected VmRSS and VmHWM in %q", status))
	}
	return resident, peak, err
}

// bytesBelow is the space that the files below a directory take; one that is not there
// takes none. A file that goes away meanwhile is left out.
func bytesBelow(dir string) (uint64, error) {
	total := uint64(0)
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			info, infoErr := entry.Info()
			if err = infoErr; err == nil {
				total += taken(info)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return total, err
}
