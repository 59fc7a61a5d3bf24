//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// warm is a bench/warm that runs: the vault as an open chat has it.
type warm struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr bytes.Buffer
	built  struct {
		BuildMS float64 `json:"build_ms"`
		TextMB  float64 `json:"text_mb"`
		Filters float64 `json:"filter_mb"`
		Notes   int     `json:"notes"`
		Watched bool    `json:"watched"`
	}
}

// startWarm starts it on a vault and waits until its index is whole.
func (b *bench) startWarm(ctx context.Context, vault string) (*warm, error) {
	binary, err := b.build(ctx, "warm", ".", "./bench/warm")
	if err != nil {
		return nil, err
	}
	w := &warm{cmd: exec.CommandContext(ctx, binary, "-vault", vault)}
	w.cmd.Env, w.cmd.Stderr = b.env, &w.stderr
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = bufio.NewScanner(out)
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	if err := w.line(&w.built); err != nil {
		w.stop()
		return nil, err
	}
	return w, nil
}

// line reads a line.
func (w *warm) line(into any) error {
	if !w.out.Scan() {
		return errors.Join(fmt.Errorf("bench/warm ended: %s", w.stderr.Bytes()), w.out.Err())
	}
	return json.Unmarshal(w.out.Bytes(), into)
}

func (w *warm) stop() {
	_ = w.in.Close()
	_ = w.cmd.Wait() // nothing is asked of it any more
}

// call is one call, as a run of a pair.
func (w *warm) call(tool string, arguments json.RawMessage, want string) measured {
	return func(context.Context) (ms, peakMB float64, err error) {
		line, err := json.Marshal(map[string]any{"tool": tool, "arguments": arguments, "want": want})
		if err != nil {
			return 0, 0, err
		}
		if _, err := w.in.Write(append(line, '\n')); err != nil {
			return 0, 0, errors.Join(err, errors.New(w.stderr.String()))
		}
		var a struct {
			MS     float64 `json:"ms"`
			PeakMB float64 `json:"peak_mb"`
		}
		err = w.line(&a)
		return a.MS, a.PeakMB, err
	}
}

// measureWarm times searches and listings in an open chat against the same programs as processes.
func measureWarm(ctx context.Context, b *bench) error {
	rg, rgErr := find("apt-get install ripgrep", "rg")
	fd, fdErr := find("apt-get install fd-find", "fd", "fdfind")
	if err := errors.Join(rgErr, fdErr); err != nil {
		return err
	}
	for _, notes := range b.sizes {
		vault, err := b.generated(ctx, notes)
		if err != nil {
			return err
		}
		w, err := b.startWarm(ctx, vault)
		if err != nil {
			return err
		}
		err = b.warmRows(ctx, w, notes, vault, rg, fd)
		w.stop()
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) warmRows(ctx context.Context, w *warm, notes int, vault, rg, fd string) error {
	rounds := b.roundsFor(notes, false)
	peakMB := 0.0
	for _, s := range searchRows {
		if s.slow {
			continue
		}
		o, a, err := b.pair(ctx, rounds, w.call("search_files", s.arguments(), s.want()), b.runs(s.anchor(rg, vault)))
		if err != nil {
			return err
		}
		r := row{name: "in the chat: search " + s.name + b.label(notes), ours: o.ms, anchor: a.ms, unit: "ms", versus: "ripgrep"}
		if r.target = s.warmMany; notes <= 10_000 {
			r.target = s.warm
		}
		b.report(r)
		peakMB = o.peakMB
	}
	o, a, err := b.pair(ctx, rounds, w.call("list_files", json.RawMessage(listArguments), "[file] "), b.runs(listAnchor(fd, vault)))
	if err != nil {
		return err
	}
	r := row{name: "in the chat: list **/*.md" + b.label(notes), ours: o.ms, anchor: a.ms, unit: "ms", versus: "fd | stat | sort"}
	if notes <= 10_000 {
		r.target = 0.1
	}
	b.report(r, row{
		name: "in the chat: peak memory of index and searches" + b.label(notes), ours: max(peakMB, o.peakMB), anchor: 300, unit: "MB", versus: "300 MB", target: 1,
		note: fmt.Sprintf("%.0f MB of it the text of %d notes, %.0f MB what is known of the others; built in %.0f ms", w.built.TextMB, w.built.Notes, w.built.Filters, w.built.BuildMS),
	})
	return nil
}
