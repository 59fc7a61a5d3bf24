//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
)

// searchRow is a search by both programs for the same thing in the same files.
type searchRow struct {
	name    string
	pattern string
	context int
	// sensitive to case; otherwise case is ignored by both.
	sensitive bool
	// files bounds what ours reports, and the anchor's matches in each file; 0: nothing does.
	files int
	// target is for 10,000 notes, many for 100,000, warm and warmMany for the open chat; 0: none.
	target, many, warm, warmMany float64
	slow                         bool // the anchor takes long: fewer rounds
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

// arguments are those of the tool.
func (s searchRow) arguments() json.RawMessage {
	all := map[string]any{"pattern": s.pattern, "context_lines": s.context, "case_sensitive": s.sensitive}
	if s.files > 0 {
		all["max_results"] = s.files
	}
	data, err := json.Marshal(all)
	if err != nil {
		panic(err) // plain values
	}
	return data
}

// want is what our answer must hold; a search that may find nothing wants nothing.
func (s searchRow) want() string {
	if s.slow {
		return ""
	}
	return "matching file"
}

// anchor is ripgrep for the same.
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

// roundsFor is how often a row is measured in a vault.
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
	rg, err := find("apt-get install ripgrep", "rg")
	if err != nil {
		return err
	}
	for _, notes := range b.sizes {
		vault, err := b.generated(ctx, notes)
		if err != nil {
			return err
		}
		for _, s := range searchRows {
			name := "search " + s.name + b.label(notes)
			ours := command{args: []string{b.binary, "--vault", vault, "tool", "search_files", string(s.arguments())}, want: s.want()}
			o, a, err := b.pair(ctx, b.roundsFor(notes, s.slow), b.runs(ours), b.runs(s.anchor(rg, vault)))
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

// listAnchor is fd, stat and sort in a pipeline.
func listAnchor(fd, vault string) command {
	return command{
		args: []string{"sh", "-c", `"$0" --no-ignore --type f --extension md --print0 . "$1" | xargs -0 stat --format '%Y %n' | sort -rn`, fd, vault},
		want: ".md",
	}
}

// measureList times list_files, start-up included, against that pipeline.
func measureList(ctx context.Context, b *bench) error {
	fd, err := find("apt-get install fd-find", "fd", "fdfind")
	if err != nil {
		return err
	}
	for _, notes := range b.sizes {
		vault, err := b.generated(ctx, notes)
		if err != nil {
			return err
		}
		ours := command{args: []string{b.binary, "--vault", vault, "tool", "list_files", listArguments}, want: "[file] "}
		o, a, err := b.pair(ctx, b.roundsFor(notes, false), b.runs(ours), b.runs(listAnchor(fd, vault)))
		if err != nil {
			return err
		}
		b.report(row{
			name: "list **/*.md, newest first" + b.label(notes), ours: o.ms, anchor: a.ms, unit: "ms", versus: "fd | stat | sort", target: 1.0,
			note: fmt.Sprintf("peak %.0f MB", o.peakMB),
		})
	}
	return nil
}
