//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
)

// measureStream measures the CPU use of the chat while an answer streams, and of drawing alone with
// bench/streamcpu.
func measureStream(ctx context.Context, b *bench) error {
	var out bytes.Buffer
	if err := b.goTool(ctx, ".", &out, "run", "./bench/streamcpu"); err != nil {
		return err
	}
	var f struct {
		Ours  float64 `json:"ours_s"`
		Naive float64 `json:"naive_s"`
		Each  float64 `json:"ours_every_token_s"`
		Limit float64 `json:"limit"`
	}
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		return fmt.Errorf("bench/streamcpu printed %.100q: %w", out.String(), err)
	}
	if err := measureStreaming(ctx, b); err != nil {
		b.report(row{name: "CPU while 20 KB stream at 100 tokens a second", missing: err.Error()})
	}
	b.report(
		row{name: "CPU of drawing a streamed answer of 20 KB", ours: f.Ours, anchor: f.Naive, unit: "s", versus: "rendering all at each of 5,000 tokens", target: f.Limit},
		row{name: "the same, a frame for each token", ours: f.Each, anchor: f.Naive, unit: "s", versus: "rendering all at each of 5,000 tokens"},
	)
	return nil
}

// measureRetrieval runs bench/retrieval, whose output is printed after the table.
func measureRetrieval(ctx context.Context, b *bench) error {
	args := []string{"run", ".", "-root", b.root, "-chatvault", b.binary}
	if b.check {
		args = append(args, "-check")
	}
	var out bytes.Buffer
	err := b.goTool(ctx, "bench/retrieval", &out, args...)
	b.after = append(b.after, "The offline engine's retrieval against SQLite FTS5 (bench/retrieval):\n\n"+out.String())
	return err
}

// printAfter prints the texts that follow the table.
func (b *bench) printAfter() {
	for _, text := range b.after {
		fmt.Fprintf(os.Stdout, "\n%s", text)
	}
}
