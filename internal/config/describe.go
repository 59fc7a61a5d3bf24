package config

import (
	"fmt"
	"strings"
)

// Line is a setting as `config show` prints it: on one line, secrets hidden.
type Line struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // empty: not set
	Origin string `json:"origin"`
}

// Describe lists every key with its value and where that came from, in the order of
// the documentation, the tables after it.
func (c *Config) Describe() []Line {
	var lines []Line
	for _, r := range rowsOf(c) {
		for _, l := range r.describe() {
			lines = append(lines, Line{l.key, oneLine(l.value), l.at.String()})
		}
	}
	return lines
}

// describe is what config show says of a row, by files where each may add to it.
func (r row) describe() []tableLine {
	if r.holds.lines != nil {
		return r.holds.lines()
	}
	if r.holds.byFile != nil {
		if lines := r.holds.byFile(); len(lines) > 0 {
			return lines
		}
	}
	value, at := r.holds.show()
	return []tableLine{{r.key, value, at}}
}

// oneLine shortens a text of many lines to the beginning of its first.
func oneLine(value string) string {
	const longest = 72
	first, rest, many := strings.Cut(strings.TrimSpace(value), "\n")
	if runes := []rune(first); len(runes) > longest {
		first = strings.TrimSpace(string(runes[:longest])) + "…"
	}
	if many {
		return fmt.Sprintf("%s (%d lines)", first, 2+strings.Count(rest, "\n"))
	}
	return first
}
