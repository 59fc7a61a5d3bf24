package main

import (
	"fmt"
	"io"
	"text/tabwriter"
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

type table struct{ w *tabwriter.Writer }

func newTable(out io.Writer) *table {
	return &table{tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)}
}

func (t *table) head() {
	fmt.Fprintln(t.w, "what\tours\tanchor\tratio\ttarget\t\tagainst")
}

func (t *table) row(r row) {
	if r.missing != "" {
		fmt.Fprintf(t.w, "%s\t-\t-\t-\t-\t?\t%s\n", r.name, r.missing)
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
	fmt.Fprintf(t.w, "%s\t%.4g %s\t%.4g %s\t%.3f\t%s\t%s\t%s\n", r.name, r.ours, r.unit, r.anchor, r.unit, r.value(), target, state, against)
}

// flush prints what was gathered; columns are aligned over the whole table.
func (t *table) flush() {
	_ = t.w.Flush()
}
