//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
)

// searchRow is a search that chatvault and ripgrep do in the same files.
type searchRow struct {
	name    string
	pattern string
	context int // lines before and after a match
	// sensitive makes both searches case-sensitive.
	sensitive bool
	// files limits the files in chatvault's result and ripgrep's matches per file. Zero means no limit.
	files int
	// Maximum ratios: target and warm up to 10,000 notes, many and warmMany above; warm and warmMany in the
	// open chat. Zero means no limit.
	target, many, warm, warmMany float64
	slow                         bool // the anchor is slow, so there are fewer rounds
}

var searchRows = []searchRow{
	{name: "literal", pattern: "zyxqvrare", target: 1.2, many: 1.0, warm: 0.3, warmMany: 0.15},
	{name: "literal, case-sensitive", pattern: "zyxqvrare", sensitive: true, target: 1.2, many: 1.0, warm: 0.3, warmMany: 0.15},
	{name: "frequent literal", pattern: "quick", target: 1.2, many: 1.0, warm: 0.3},
	{name: "frequent literal, one match a file", pattern: "quick", files: 1, target: 1.2},
	{name: "literal with context", pattern: "zyxqvrare", context: 2, target: 1.3, warm: 0.3, warmMany: 0.15},
	{name: "alternation", pattern: "needle-A|needle-B|needle-C|needle-D", target: 1.5, warmMany: 0.15},
	{name: "alternation of words", pattern: "budget|invoice|dragon", target: 1.5},
	{name: "without literal", pattern: `\w+\s\d{4}\b`, target: 4.0, slow: true},
}

// arguments returns the arguments of search_files.
func (s searchRow) arguments() json.RawMessage {
	all := map[string]any{"pattern": s.pattern, "context_lines": s.context, "case_sensitive": s.sensitive}
	if s.files > 0 {
		all["max_results"] = s.files
	}
	data, err := json.Marshal(all)
	if err != nil {
		panic(err) // cannot happen with these types
	}
	return data
}

// want returns a text that chatvault's output must contain. It is empty for a search that may find nothing.
func (s searchRow) want() string {
	if s.slow {
		return ""
	}
	return "matching file"
}

// anchor returns the ripgrep command for the same search.
func (s searchRow) anchor(rg, vault string) command {
	args := []string{rg, "--no-config", "--no-ignore", "--line-number", "--glob", "*.md", "--context", fmt.Sprint(s.context)}
	if !s.sensitive {
		args = append(args, "--ignore-case")
	}
	if s.files > 0 {
		args = append(args, "--max-count", fmt.Sprint(s.files))
	}
	return command{args: append(args, s.pattern, vault)}
}

// roundsFor returns the number of rounds for a row in a vault of the given size.
func (b *bench) roundsFor(notes int, slow bool) int {
	n := b.rounds
	if notes > 10_000 {
		n = max(n/4, 1)
	}
	if slow {
		n = max(n/4, 1)
	}
	return n
}

func (s searchRow) targetFor(notes int) float64 {
	if notes > 10_000 {
		return s.many
	}
	return s.target
}

// measureSearch times search_files, start-up included, against ripgrep.
func measureSearch(ctx context.Context, b *bench) error {
	rg, err := findProgram("apt-get install ripgrep", "rg")
	if err != nil {
		return err
	}
	for _, notes := range b.sizes {
		vault, err := b.generatedVault(ctx, notes)
		if err != nil {
			return err
		}
		for _, s := range searchRows {
			name := "search " + s.name + b.sizeSuffix(notes)
			ours := command{args: []string{b.binary, "--vault", vault, "tool", "search_files", string(s.arguments())}, want: s.want()}
			o, a, err := b.pair(ctx, b.roundsFor(notes, s.slow), b.runCommand(ours), b.runCommand(s.anchor(rg, vault)))
			if err != nil {
				b.report(row{name: name, missing: err.Error()})
				continue
			}
			b.report(row{
				name: name, ours: o.ms, anchor: a.ms, unit: "ms", versus: "ripgrep", target: s.targetFor(notes),
				note: fmt.Sprintf("peak %.0f MB, its %.0f MB", o.peakMB, a.peakMB),
			})
		}
	}
	return nil
}

const listArguments = `{"pattern":"**/*.md"}`

// listAnchor returns a pipeline of fd, stat and sort that lists notes by time.
func listAnchor(fd, vault string) command {
	return command{
		args: []string{"sh", "-c", `"$0" --no-ignore --type f --extension md --print0 . "$1" | xargs -0 stat --format '%Y %n' | sort -rn`, fd, vault},
		want: ".md",
	}
}

// measureList times list_files, start-up included, against listAnchor.
func measureList(ctx context.Context, b *bench) error {
	fd, err := findProgram("apt-get install fd-find", "fd", "fdfind")
	if err != nil {
		return err
	}
	for _, notes := range b.sizes {
		vault, err := b.generatedVault(ctx, notes)
		if err != nil {
			return err
		}
		ours := command{args: []string{b.binary, "--vault", vault, "tool", "list_files", listArguments}, want: "[file] "}
		o, a, err := b.pair(ctx, b.roundsFor(notes, false), b.runCommand(ours), b.runCommand(listAnchor(fd, vault)))
		if err != nil {
			return err
		}
		b.report(row{
			name: "list **/*.md, newest first" + b.sizeSuffix(notes), ours: o.ms, anchor: a.ms, unit: "ms", versus: "fd | stat | sort", target: 1.0,
			note: fmt.Sprintf("peak %.0f MB", o.peakMB),
		})
	}
	return nil
}
