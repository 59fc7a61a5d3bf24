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

// screenFigures is what bench/firstframe prints, as far as it is used, and what was gathered of it.
type screenFigures struct {
	Ready   float64   `json:"ready_ms"`
	Memory  float64   `json:"rss_sum_mb"`
	IdleCPU float64   `json:"idle_cpu_pct"` // of a core
	BusyCPU float64   `json:"busy_cpu_pct"`
	Keys    []float64 `json:"key_ms"` // from each key to its echo
	Missed  int       `json:"key_missed"`
	Stop    float64   `json:"stop_ms"` // from Esc to the screen that says so

	memory, idle, busy, stops []float64
}

// add gathers the figures of one more run.
func (s *screenFigures) add(f screenFigures) {
	s.memory, s.idle, s.busy = append(s.memory, f.Memory), append(s.idle, f.IdleCPU), append(s.busy, f.BusyCPU)
	s.stops = append(s.stops, f.Stop)
	s.Keys = append(s.Keys, f.Keys...)
	s.Missed += f.Missed
}

// missed says how many keys were not seen on the screen.
func (s *screenFigures) missed() string {
	return fmt.Sprintf("%d keys, %d missed", len(s.Keys)+s.Missed, s.Missed)
}

// keysTyped are typed one by one; none is in what the screens show otherwise.
const keysTyped = "QZJXQZJXQZJXQZJXQZJXQZJXQZJXQZJXQZJXQZJX"

// p95 is the value that 95 of 100 do not exceed.
func p95(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[(len(v)*95+99)/100-1]
}

// watch runs bench/firstframe on a program.
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
