//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
)

// screenFigures holds the figures of one run of bench/firstframe, and those collected from several runs with
// add.
type screenFigures struct {
	Ready   float64   `json:"ready_ms"`
	Memory  float64   `json:"rss_sum_mb"`
	IdleCPU float64   `json:"idle_cpu_pct"` // percent of a core
	BusyCPU float64   `json:"busy_cpu_pct"`
	Keys    []float64 `json:"key_ms"` // from each key to its echo; collected by add
	Missed  int       `json:"key_missed"`
	Stop    float64   `json:"stop_ms"` // from Esc to a screen that reports the stop; zero if there was none

	memory, idle, busy, stops []float64
}

// add adds the figures of another run.
func (s *screenFigures) add(f screenFigures) {
	s.memory, s.idle, s.busy = append(s.memory, f.Memory), append(s.idle, f.IdleCPU), append(s.busy, f.BusyCPU)
	s.stops = append(s.stops, f.Stop)
	s.Keys = append(s.Keys, f.Keys...)
	s.Missed += f.Missed
}

// missed returns a remark on the number of keys that did not appear on the screen.
func (s *screenFigures) missed() string {
	return fmt.Sprintf("%d keys, %d missed", len(s.Keys)+s.Missed, s.Missed)
}

// keysTyped are the keys to type one by one. Nothing else on the screens contains these letters.
const keysTyped = "QZJXQZJXQZJXQZJXQZJXQZJXQZJXQZJXQZJXQZJX"

// p95 returns the 95th percentile of v, or zero if v is empty.
func p95(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[(len(v)*95+99)/100-1]
}

// watch measures a program with bench/firstframe.
func (c chatBench) watch(ctx context.Context, s screen, args ...string) (screenFigures, error) {
	args = append(args, "-ready", s.ready, "-dir", c.keep, "--")
	cmd := exec.CommandContext(ctx, c.frame, append(args, s.args...)...)
	cmd.Env = append(slices.Clone(c.env), s.env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var f screenFigures
	if err == nil {
		err = json.Unmarshal(out, &f)
	}
	if err == nil && f.Ready == 0 {
		err = fmt.Errorf("it never showed %q", s.ready)
	}
	if err != nil {
		return f, fmt.Errorf("%s: %w", s.args[0], errors.Join(err, errors.New(stderr.String())))
	}
	return f, nil
}
