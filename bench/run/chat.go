//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// screen is a program with a screen.
type screen struct {
	ready string   // what it shows when it can be used
	args  []string // the program with its arguments
	env   []string // beside the measurement's own
}

// chatBench is what the figures of the chat share: instruments, and the smallest chat screen on the
// same libraries, which is their anchor.
type chatBench struct {
	*bench
	frame string // bench/firstframe
	floor screen
}

func (b *bench) chatBench(ctx context.Context) (chatBench, error) {
	frame, err := b.build(ctx, "firstframe", ".", "./bench/firstframe")
	if err != nil {
		return chatBench{}, err
	}
	bare, err := b.build(ctx, "baretui", "bench/baretui", ".")
	return chatBench{b, frame, screen{ready: "READYPROMPT", args: []string{bare}}}, err
}

// placeholder is what the composer shows when it can be used.
const placeholder = "Ask about your notes"

// offline is the chat on a vault, without a network.
func (b *bench) offline(vault string) screen {
	return screen{ready: placeholder, args: []string{b.binary, "--offline", "--vault", vault}}
}

// sample makes a copy of the sample vault: the program keeps its state in it.
func (b *bench) sample(name string) (string, error) {
	dir := filepath.Join(b.keep, name)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, os.DirFS(filepath.Join(b.root, "testdata", "vault")))
}

// measureChat times the chat's first usable screen, what it takes when idle and how soon it shows
// a key, against the smallest chat screen.
func measureChat(ctx context.Context, b *bench) error {
	c, err := b.chatBench(ctx)
	if err != nil {
		return err
	}
	vault, err := b.generated(ctx, b.sizes[0])
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

// readiness times the first usable screen, in a small vault and in a large one.
func (c chatBench) readiness(ctx context.Context, small, large screen) error {
	screens := []screen{c.floor, small, large}
	took := make([][]float64, len(screens))
	for round := range 15 {
		for i := range screens { // there and back: what one leaves to be torn down is in the next one's way
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

// idleness measures memory and CPU while nothing happens, and how soon a key is shown.
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
