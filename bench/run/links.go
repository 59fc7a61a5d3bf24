//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// measureLinks times the move of a note with many backlinks, by running bench/movelinks.
func measureLinks(ctx context.Context, b *bench) error {
	vault, err := b.generatedVault(ctx, b.sizes[0])
	if err != nil {
		return err
	}
	const links = 500
	var out bytes.Buffer
	if err := b.goTool(ctx, ".", &out, "run", "./bench/movelinks", "-vault", vault, "-keep", b.keep, "-links", fmt.Sprint(links)); err != nil {
		return err
	}
	var f struct {
		Read float64 `json:"read_ms"`
		Move float64 `json:"move_ms"`
	}
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		return fmt.Errorf("bench/movelinks printed %.100q: %w", out.String(), err)
	}
	b.report(row{
		name: fmt.Sprintf("move a note with %d backlinks", links), ours: f.Move, anchor: f.Read, unit: "ms",
		versus: "reading every note once, in the same process", target: 3.0,
	})
	return nil
}
