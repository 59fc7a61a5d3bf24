//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
)

// maxTokens is the limit for the system prompt and the tools together.
const maxTokens = 5000

// measureTokens runs bench/tokens to count the tokens of a request and the share that the next one repeats.
func measureTokens(ctx context.Context, b *bench) error {
	var out bytes.Buffer
	vault := filepath.Join(b.root, "testdata", "vault")
	if err := b.goTool(ctx, "bench/tokens", &out, "run", ".", "-chatvault", b.binary, "-vault", vault); err != nil {
		return err
	}
	var f struct {
		System       float64 `json:"system"`
		Tools        float64 `json:"tools"`
		First        float64 `json:"first"`
		WithinTurn   float64 `json:"within_turn"`
		BetweenTurns float64 `json:"between_turns"`
		NewTool      float64 `json:"new_tool"`
	}
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		return fmt.Errorf("bench/tokens printed %.100q: %w", out.String(), err)
	}
	b.report(
		row{
			name: "first request: system prompt and tools", ours: f.System + f.Tools, anchor: maxTokens, unit: "tokens", versus: "what they may take", target: 1,
			note: fmt.Sprintf("o200k_base; %.0f and %.0f, with the message %.0f", f.System, f.Tools, f.First),
		},
		row{name: "of it, repeated by the second call", ours: 100 * f.WithinTurn, anchor: 100, unit: "%", versus: "all of it", target: 1, atLeast: true},
		row{
			name: "of it, where a server's tool came in between", ours: 100 * f.NewTool, anchor: 100, unit: "%", versus: "all of it", target: 0.7, atLeast: true,
			note: "new tools come last: what stands after the tools is read anew",
		},
		row{name: "of a turn's last request, by the next turn", ours: 100 * f.BetweenTurns, anchor: 100, unit: "%", versus: "all of it", target: 1, atLeast: true},
	)
	return nil
}
