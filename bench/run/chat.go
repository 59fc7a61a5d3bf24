package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
)

// screenFigures is what bench/firstframe prints, as far as it is used.
type screenFigures struct {
	Ready   float64 `json:"ready_ms"`
	Memory  float64 `json:"rss_sum_mb"`
	IdleCPU float64 `json:"idle_cpu_pct"`
	Key95   float64 `json:"key_p95_ms"`
	Missed  int     `json:"key_missed"`
}

// screen is a program with a screen.
type screen struct {
	ready string // what it shows when it can be used
	args  []string
}

// measureChat times the chat's first usable screen, and its memory when idle, against the
// smallest chat screen on the same libraries.
func measureChat(ctx context.Context, b *bench) ([]row, error) {
	vault, err := b.generated(ctx, b.sizes[0])
	if err != nil {
		return nil, err
	}
	w, err := b.startWarm(ctx, vault)
	if err != nil {
		return nil, err
	}
	textMB := w.built.TextMB
	w.stop()
	frame, err := b.build(ctx, "firstframe", ".", "./bench/firstframe")
	if err != nil {
		return nil, err
	}
	bare, err := b.build(ctx, "baretui", "bench/baretui", ".")
	if err != nil {
		return nil, err
	}
	chat := screen{"Ask about your notes", []string{b.binary, "--offline", "--vault", vault}}
	floor := screen{"READYPROMPT", []string{bare}}
	var chatReady, floorReady []float64
	for range 5 {
		for s, ready := range map[*screen]*[]float64{&chat: &chatReady, &floor: &floorReady} {
			f, err := b.watch(ctx, frame, *s, "-n", "2", "-cpu", "0")
			if err != nil {
				return nil, err
			}
			*ready = append(*ready, f.Ready)
		}
	}
	rows := []row{{
		name: "chat ready", ours: median(chatReady), anchor: median(floorReady), unit: "ms", versus: "bench/baretui", target: 1.5,
	}}
	c, err := b.watch(ctx, frame, chat, "-n", "1", "-idle", "4s", "-cpu", "3s")
	if err != nil {
		return rows, err
	}
	f, err := b.watch(ctx, frame, floor, "-n", "1", "-idle", "4s", "-cpu", "3s")
	if err != nil {
		return rows, err
	}
	return append(
		rows,
		row{
			name: "chat idle memory beside the notes' text", ours: c.Memory - textMB, anchor: f.Memory, unit: "MB", versus: "bench/baretui", target: 2.0,
			note: fmt.Sprintf("%.0f MB of text are kept for searches", textMB),
		},
		row{name: "chat idle CPU", ours: c.IdleCPU, anchor: f.IdleCPU, unit: "%", versus: "bench/baretui"},
		row{name: "chat key to echo, p95", ours: c.Key95, anchor: f.Key95, unit: "ms", versus: "bench/baretui", note: fmt.Sprintf("%d keys missed", c.Missed)},
	), nil
}

// watch runs firstframe on a program.
func (b *bench) watch(ctx context.Context, frame string, s screen, args ...string) (screenFigures, error) {
	args = append(args, "-ready", s.ready, "-dir", b.keep, "--")
	c := exec.CommandContext(ctx, frame, append(args, s.args...)...)
	c.Env = b.env
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
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
