//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// screen is a terminal program to measure.
type screen struct {
	ready string   // text on its screen once it accepts input
	args  []string // program and arguments
	env   []string // additional environment
}

// chatBench holds the tools for measuring the chat.
type chatBench struct {
	*bench
	frame string // path of the bench/firstframe binary
	floor screen // the anchor: bench/baretui, the smallest chat screen with the same libraries
}

func (b *bench) chatBench(ctx context.Context) (chatBench, error) {
	frame, err := b.build(ctx, "firstframe", ".", "./bench/firstframe")
	if err != nil {
		return chatBench{}, err
	}
	bare, err := b.build(ctx, "baretui", "bench/baretui", ".")
	return chatBench{b, frame, screen{ready: "READYPROMPT", args: []string{bare}}}, err
}

// placeholder is the text in the chat's empty composer.
const placeholder = "Ask about your notes"

// offline returns the chat on a vault with the offline engine.
func (b *bench) offline(vault string) screen {
	return screen{ready: placeholder, args: []string{b.binary, "--offline", "--vault", vault}}
}

// sample returns a new copy of the sample vault. Each measurement needs one, because the program keeps its
// state in the vault.
func (b *bench) sample(name string) (string, error) {
	dir := filepath.Join(b.keep, name)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, os.DirFS(filepath.Join(b.root, "testdata", "vault")))
}

// measureChat compares the chat's start-up time, idle memory and CPU, and key echo with those of
// bench/baretui.
func measureChat(ctx context.Context, b *bench) error {
	c, err := b.chatBench(ctx)
	if err != nil {
		return err
	}
	vault, err := b.generatedVault(ctx, b.sizes[0])
	if err != nil {
		return err
	}
	sample, err := b.sample("sample")
	if err != nil {
		return err
	}
	if err := c.readiness(ctx, c.offline(sample), c.offline(vault)); err != nil {
		return err
	}
	if err := c.idleness(ctx, vault); err != nil {
		return err
	}
	return c.streamingEcho(ctx)
}

// readiness times the start-up until the chat accepts input, in a small and in a large vault.
func (c chatBench) readiness(ctx context.Context, small, large screen) error {
	screens := []screen{c.floor, small, large}
	took := make([][]float64, len(screens))
	for round := range 15 {
		for i := range screens { // alternate the order, because the exit of a program slows down the next one
			if round%2 == 1 {
				i = len(screens) - 1 - i
			}
			f, err := c.watch(ctx, screens[i], "-n", "1", "-cpu", "0")
			if err != nil {
				return err
			}
			took[i] = append(took[i], f.Ready)
		}
	}
	floor, inSmall, inLarge := median(took[0]), median(took[1]), median(took[2])
	notes := fmt.Sprintf("%d notes", c.sizes[0])
	c.report(
		row{name: "chat ready, sample vault", ours: inSmall, anchor: floor, unit: "ms", versus: "bench/baretui", target: 1.2},
		row{name: "chat ready, " + notes, ours: inLarge, anchor: floor, unit: "ms", versus: "bench/baretui", target: 1.2},
		row{name: "chat ready, " + notes + " against sample", ours: inLarge, anchor: inSmall, unit: "ms", versus: "the sample vault", target: 1.1},
	)
	return nil
}

// idleness measures idle memory, idle CPU and key echo.
func (c chatBench) idleness(ctx context.Context, vault string) error {
	w, err := c.startWarm(ctx, vault)
	if err != nil {
		return err
	}
	textMB := w.built.TextMB
	w.stop()
	var ours, floor screenFigures
	for range 3 {
		for s, all := range map[*screenFigures]screen{&ours: c.offline(vault), &floor: c.floor} {
			f, err := c.watch(ctx, all, "-n", "1", "-idle", "4s", "-cpu", "5s", "-keys", keysTyped)
			if err != nil {
				return err
			}
			s.add(f)
		}
	}
	c.report(
		row{
			name: "chat idle memory beside the notes' text", ours: median(ours.memory) - textMB, anchor: median(floor.memory), unit: "MB", versus: "bench/baretui", target: 2.0,
			note: fmt.Sprintf("%.0f MB of text are kept for searches", textMB),
		},
		row{name: "chat idle CPU", ours: median(ours.idle), anchor: median(floor.idle), unit: "%", versus: "bench/baretui", target: 1.1},
		row{name: "chat key to echo, p95", ours: p95(ours.Keys), anchor: p95(floor.Keys), unit: "ms", versus: "bench/baretui", target: 1.2, note: ours.missed()},
	)
	return nil
}
