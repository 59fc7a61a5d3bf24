//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
)

// findQueries are questions over generated notes.
var findQueries = []struct{ name, query string }{
	{"frequent words", "what was the quick meeting about the budget"},
	{"many words", "tasks with a deadline for the project last month"},
	{"rare word", "zyxqvrare"},
	{"misspelt", "the invoise of the dragn"},
}

// measureFind times find_notes: in a new process against a process that reads every note, and in an open
// chat against a delay that users do not notice.
func measureFind(ctx context.Context, b *bench) error {
	reader, err := b.build(ctx, "readnotes", ".", "./bench/readnotes")
	if err != nil {
		return err
	}
	notes := b.sizes[0]
	vault, err := b.generatedVault(ctx, notes)
	if err != nil {
		return err
	}
	w, err := b.startWarm(ctx, vault)
	if err != nil {
		return err
	}
	defer w.stop()
	for _, q := range findQueries {
		arguments, err := json.Marshal(map[string]any{"query": q.query})
		if err != nil {
			return err
		}
		ours := command{args: []string{b.binary, "--vault", vault, "tool", "find_notes", string(arguments)}, want: "Found "}
		o, a, err := b.pair(ctx, b.roundsFor(notes, false), b.runCommand(ours), b.runCommand(command{args: []string{reader, "-vault", vault}, want: "notes: "}))
		name := "find_notes, " + q.name + b.sizeSuffix(notes)
		if err != nil {
			b.report(row{name: name, missing: err.Error()})
			continue
		}
		b.report(row{name: name, ours: o.ms, anchor: a.ms, unit: "ms", versus: "reading every note", target: 1.5})
		calls, call := []float64{}, w.call("find_notes", arguments, "Found ")
		for range b.roundsFor(notes, false) {
			ms, _, callErr := call(ctx)
			calls, err = append(calls, ms), errors.Join(err, callErr)
		}
		if err != nil {
			return err
		}
		b.report(row{name: "in the chat: " + name, ours: median(calls), anchor: 30, unit: "ms", versus: "30 ms", target: 1})
	}
	return nil
}
