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
	target    float64
}

var searchRows = []searchRow{
	{"search literal", "zyxqvrare", 0, false, 1.3},
	{"search literal, case-sensitive", "zyxqvrare", 0, true, 1.3},
	{"search frequent literal", "quick", 0, false, 1.3},
	{"search literal with context", "zyxqvrare", 2, false, 1.3},
	{"search alternation", "needle-A|needle-B|needle-C|needle-D", 0, false, 1.6},
	{"search alternation of words", "budget|invoice|dragon", 0, false, 1.6},
	{"search without literal", `\w+\s\d{4}\b`, 0, false, 0},
}

// measureSearch times search_files against ripgrep.
func measureSearch(ctx context.Context, b *bench) ([]row, error) {
	rg, err := find("apt-get install ripgrep", "rg")
	if err != nil {
		return nil, err
	}
	vault, err := b.generated(ctx)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, s := range searchRows {
		args, err := json.Marshal(map[string]any{"pattern": s.pattern, "context_lines": s.context, "case_sensitive": s.sensitive})
		if err != nil {
			return rows, err
		}
		anchor := []string{rg, "--no-config", "--no-ignore", "--line-number", "--glob", "*.md", "--context", fmt.Sprint(s.context)}
		if !s.sensitive {
			anchor = append(anchor, "--ignore-case")
		}
		ours := command{args: []string{b.binary, "--vault", vault, "tool", "search_files", string(args)}, want: "matching file"}
		if s.target == 0 {
			ours.want = "" // it may find nothing
		}
		o, a, err := b.pair(ctx, ours, command{args: append(anchor, s.pattern, vault)})
		if err != nil {
			rows = append(rows, row{name: s.name, missing: err.Error()})
			continue
		}
		rows = append(rows, row{
			name: s.name, ours: o.ms, anchor: a.ms, unit: "ms", versus: "ripgrep", target: s.target,
			note: fmt.Sprintf("peak %.0f MB, its %.0f MB", o.peakMB, a.peakMB),
		})
	}
	return rows, nil
}

// measureList times list_files against fd, stat and sort in a pipeline.
func measureList(ctx context.Context, b *bench) ([]row, error) {
	fd, err := find("apt-get install fd-find", "fd", "fdfind")
	if err != nil {
		return nil, err
	}
	vault, err := b.generated(ctx)
	if err != nil {
		return nil, err
	}
	ours := command{args: []string{b.binary, "--vault", vault, "tool", "list_files", `{"pattern":"**/*.md"}`}, want: "[file] "}
	anchor := command{args: []string{"sh", "-c", `"$0" --no-ignore --type f --extension md --print0 . "$1" | xargs -0 stat --format '%Y %n' | sort -rn`, fd, vault}, want: ".md"}
	o, a, err := b.pair(ctx, ours, anchor)
	if err != nil {
		return nil, err
	}
	return []row{{
		name: "list **/*.md, newest first", ours: o.ms, anchor: a.ms, unit: "ms", versus: "fd | stat | sort", target: 1.0,
		note: fmt.Sprintf("peak %.0f MB", o.peakMB),
	}}, nil
}
