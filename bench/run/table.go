//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
)

// row compares a figure of chatvault with that of its anchor.
type row struct {
	name   string
	ours   float64
	anchor float64
	unit   string  // unit of both figures, such as "ms", "MB", "s" or "%"
	versus string  // name of the anchor
	target float64 // largest good ratio; zero means no target
	ratio  float64 // zero means ours / anchor
	// atLeast makes the target the smallest good ratio.
	atLeast bool
	note    string // remark to print after versus; may be empty
	missing string // why there is no figure, and what to do; empty if there is one
}

// value returns the ratio.
func (r row) value() float64 {
	if r.ratio != 0 || r.anchor == 0 {
		return r.ratio
	}
	return r.ours / r.anchor
}

// ok reports whether the row was measured and meets its target, if any.
func (r row) ok() bool {
	switch {
	case r.missing != "":
		return false
	case r.target == 0:
		return true
	case r.atLeast:
		return r.value() >= r.target
	}
	return r.value() <= r.target
}

// report records rows and prints them.
func (b *bench) report(rows ...row) {
	for _, r := range rows {
		b.rows = append(b.rows, r)
		printRow(os.Stdout, r, b.earlier)
	}
}

// line is the format of a table row. Its widths are fixed, because each row is printed before the next one is
// measured.
const line = "%-60s %12s %12s %7s %7s %-5s %s\n"

func printHead(out io.Writer, earlier figures) {
	against := "against"
	if earlier != nil {
		against = "  then  against"
	}
	fmt.Fprintf(out, line, "what", "ours", "anchor", "ratio", "target", "", against)
}

func printRow(out io.Writer, r row, earlier figures) {
	if r.missing != "" {
		fmt.Fprintf(out, line, r.name, "-", "-", "-", "-", "?", r.missing)
		return
	}
	state, target := "ok", ""
	switch {
	case r.target == 0:
		state = "-"
	case r.atLeast:
		target = fmt.Sprintf("≥ %.3g", r.target)
	default:
		target = fmt.Sprintf("≤ %.3g", r.target)
	}
	if !r.ok() {
		state = "OVER"
		if r.atLeast {
			state = "UNDER"
		}
	}
	against := r.versus
	if r.note != "" {
		against += " (" + r.note + ")"
	}
	if earlier != nil {
		against = earlier.change(r) + "  " + against
	}
	fmt.Fprintf(out, line, r.name, fmt.Sprintf("%.4g %s", r.ours, r.unit), fmt.Sprintf("%.4g %s", r.anchor, r.unit),
		fmt.Sprintf("%.3f", r.value()), target, state, against)
}
