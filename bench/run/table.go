//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
)

// row is one figure of ours beside its anchor's.
type row struct {
	name   string
	ours   float64
	anchor float64
	unit   string // of both: "ms", "MB", "s", "%"
	versus string // what the anchor is
	target float64
	ratio  float64 // 0: ours / anchor
	// atLeast: the target is a floor, as for hits of a search.
	atLeast bool
	note    string
	missing string // why there is no figure, and what to do
}

func (r row) value() float64 {
	if r.ratio != 0 || r.anchor == 0 {
		return r.ratio
	}
	return r.ours / r.anchor
}

// ok reports whether the figure is there and, where it has a target, within it.
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

// report prints rows that were just measured.
func (b *bench) report(rows ...row) {
	for _, r := range rows {
		b.rows = append(b.rows, r)
		printRow(os.Stdout, r, b.earlier)
	}
}

// line has the columns of a row; they are as wide as the rows there are need, since each is printed
// before the next is known.
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
		against = earlier.then(r) + "  " + against
	}
	fmt.Fprintf(out, line, r.name, fmt.Sprintf("%.4g %s", r.ours, r.unit), fmt.Sprintf("%.4g %s", r.anchor, r.unit),
		fmt.Sprintf("%.3f", r.value()), target, state, against)
}
