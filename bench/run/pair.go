//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// command is a command line to measure.
type command struct {
	args []string
	// want is a text that the output must contain, so that a program that fails or finds nothing cannot win.
	want string
}

// timing summarizes several runs.
type timing struct {
	ms     float64 // median duration
	peakMB float64 // peak resident memory of any run
}

// measurement performs an operation once and returns its duration in milliseconds and peak memory in megabytes.
type measurement func(ctx context.Context) (ms, peakMB float64, err error)

// runCommand returns a function that runs a command once.
func (b *bench) runCommand(c command) measurement {
	return func(ctx context.Context) (ms, peakMB float64, err error) { return b.once(ctx, c) }
}

// pair times two operations alternately, so that other load on the machine affects both.
func (b *bench) pair(ctx context.Context, rounds int, ours, anchor measurement) (o, a timing, err error) {
	var oursMS, anchorMS []float64
	warmUp := min(3, rounds/3)
	for i := -warmUp; i < rounds; i++ {
		t, peak, err := ours(ctx)
		if err != nil {
			return o, a, err
		}
		u, anchorPeak, err := anchor(ctx)
		if err != nil {
			return o, a, err
		}
		if i >= 0 {
			oursMS, anchorMS = append(oursMS, t), append(anchorMS, u)
			o.peakMB, a.peakMB = max(o.peakMB, peak), max(a.peakMB, anchorPeak)
		}
	}
	o.ms, a.ms = median(oursMS), median(anchorMS)
	return o, a, nil
}

// once runs a command and returns its duration in milliseconds and peak memory in megabytes.
func (b *bench) once(ctx context.Context, cmd command) (ms, peakMB float64, err error) {
	c := exec.CommandContext(ctx, cmd.args[0], cmd.args[1:]...)
	c.Env, c.Dir = b.env, b.keep
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	var stdout, stderr bytes.Buffer
	c.Stderr = &stderr
	begin := time.Now()
	if err := c.Start(); err != nil {
		return 0, 0, err
	}
	// Keep only the beginning: the memory of this process counts toward its children's peak memory.
	_, copyErr := io.Copy(&stdout, io.LimitReader(out, 64<<10))
	if copyErr == nil {
		_, copyErr = io.Copy(io.Discard, out)
	}
	err = c.Wait()
	ms = float64(time.Since(begin).Microseconds()) / 1000
	if err != nil || copyErr != nil {
		return 0, 0, fmt.Errorf("%.200q: %w: %.300s", cmd.args, errors.Join(err, copyErr), stderr.String())
	}
	if !bytes.Contains(stdout.Bytes(), []byte(cmd.want)) {
		return 0, 0, fmt.Errorf("%.200q printed no %q but %.300q", cmd.args, cmd.want, stdout.String())
	}
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peakMB = float64(usage.Maxrss) / 1024 // kilobytes on Linux
	}
	return ms, peakMB, nil
}

// median returns the median of v, or zero if v is empty.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// findProgram returns the path of a program that may have several names. The error suggests the install command.
func findProgram(install string, names ...string) (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed: %s", names[0], install)
}
