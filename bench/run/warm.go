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

// warm is a running bench/warm process, which keeps the index of a vault in memory like an open chat.
type warm struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr bytes.Buffer
	built  struct { // the first line of its output
		BuildMS float64 `json:"build_ms"`
		TextMB  float64 `json:"text_mb"`
		Filters float64 `json:"filter_mb"`
		Notes   int     `json:"notes"`
		Watched bool    `json:"watched"`
	}
}

// startWarm starts bench/warm on a vault and waits until its index is complete.
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

// line decodes the next line of the output.
func (w *warm) line(into any) error {
	if !w.out.Scan() {
		return errors.Join(fmt.Errorf("bench/warm ended: %s", w.stderr.Bytes()), w.out.Err())
	}
	return json.Unmarshal(w.out.Bytes(), into)
}

func (w *warm) stop() {
	_ = w.in.Close()
	_ = w.cmd.Wait() // an error no longer matters
}

// call returns a function that makes a tool call. Its result must contain the text want.
func (w *warm) call(tool string, arguments json.RawMessage, want string) measurement {
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

// measureWarm times searches and listings in an open chat against ripgrep and listAnchor.
func measureWarm(ctx context.Context, b *bench) error {
	rg, rgErr := findProgram("apt-get install ripgrep", "rg")
	fd, fdErr := findProgram("apt-get install fd-find", "fd", "fdfind")
	if err := errors.Join(rgErr, fdErr); err != nil {
		return err
	}
	for _, notes := range b.sizes {
		vault, err := b.generatedVault(ctx, notes)
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
		o, a, err := b.pair(ctx, rounds, w.call("search_files", s.arguments(), s.want()), b.runCommand(s.anchor(rg, vault)))
		if err != nil {
			return err
		}
		r := row{name: "in the chat: search " + s.name + b.sizeSuffix(notes), ours: o.ms, anchor: a.ms, unit: "ms", versus: "ripgrep"}
		if r.target = s.warmMany; notes <= 10_000 {
			r.target = s.warm
		}
		b.report(r)
		peakMB = o.peakMB
	}
	o, a, err := b.pair(ctx, rounds, w.call("list_files", json.RawMessage(listArguments), "[file] "), b.runCommand(listAnchor(fd, vault)))
	if err != nil {
		return err
	}
	r := row{name: "in the chat: list **/*.md" + b.sizeSuffix(notes), ours: o.ms, anchor: a.ms, unit: "ms", versus: "fd | stat | sort"}
	if notes <= 10_000 {
		r.target = 0.1
	}
	b.report(r, row{
		name: "in the chat: peak memory of index and searches" + b.sizeSuffix(notes), ours: max(peakMB, o.peakMB), anchor: 300, unit: "MB", versus: "300 MB", target: 1,
		note: fmt.Sprintf("%.0f MB of it the text of %d notes, %.0f MB what is known of the others; built in %.0f ms", w.built.TextMB, w.built.Notes, w.built.Filters, w.built.BuildMS),
	})
	return nil
}
