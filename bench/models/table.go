package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// report is the JSON form of a run.
type report struct {
	Model   string    `json:"model"`
	BaseURL string    `json:"base_url,omitempty"` // empty for the embedded engine
	Began   time.Time `json:"began"`
	Skipped string    `json:"skipped,omitempty"`
	Results []result  `json:"results"`
}

// allKinds are the kinds of tasks, in the order of the table's rows.
var allKinds = []string{fact, property, list, compare, absent, change, steps, chat}

// print prints the table, the tasks that failed or did harm, and the changes since an earlier run unless it
// is nil.
func (r report) print(out io.Writer, earlier *report) {
	fmt.Fprintf(out, "\n%s %s\n\n", r.Model, r.BaseURL)
	const row = "%-10s %9s %5s %6s %8s %8s %9s %8s %8s\n"
	fmt.Fprintf(out, row, "", "done", "harm", "calls", "tokens", "cached", "first s", "median s", "p90 s")
	print := func(name string, belongs func(result) bool) {
		var of []result
		for _, x := range r.Results {
			if belongs(x) {
				of = append(of, x)
			}
		}
		if len(of) == 0 {
			return
		}
		n := float64(len(of))
		fmt.Fprintf(out, row, name, fmt.Sprintf("%d of %d", count(of, isDone), len(of)), fmt.Sprint(count(of, isHarm)),
			fmt.Sprintf("%.1f", sum(of, func(x result) float64 { return float64(x.Calls) })/n),
			fmt.Sprintf("%.0f", sum(of, func(x result) float64 { return float64(x.tokens()) })/n),
			fmt.Sprintf("%.0f", sum(of, func(x result) float64 { return float64(x.Cached) })/n),
			fmt.Sprintf("%.1f", quantile(of, 0.5, func(x result) float64 { return x.First })),
			fmt.Sprintf("%.1f", quantile(of, 0.5, func(x result) float64 { return x.Seconds })),
			fmt.Sprintf("%.1f", quantile(of, 0.9, func(x result) float64 { return x.Seconds })))
	}
	for _, k := range allKinds {
		print(k, func(x result) bool { return x.Kind == k })
	}
	for _, lang := range []string{"en", "de", "fr", "ja"} {
		print("in "+lang, func(x result) bool { return x.Lang == lang })
	}
	for _, v := range []string{"sample", "second"} {
		print(v, func(x result) bool { return strings.HasPrefix(x.Name, v+"/") })
	}
	print("all", func(result) bool { return true })
	if r.Skipped != "" {
		fmt.Fprintln(out, r.Skipped)
	}
	for _, x := range r.Results {
		if !x.Done {
			fmt.Fprintf(out, "\nnot done  %s (%s): %s", x.Name, x.Kind, x.Reason)
		}
		for _, h := range x.Harm {
			fmt.Fprintf(out, "\nharm      %s: %s", x.Name, h)
		}
	}
	fmt.Fprintln(out)
	if earlier != nil {
		r.printChange(out, *earlier)
	}
}

// printChange prints the changes since an earlier run, for the tasks in both runs.
func (r report) printChange(out io.Writer, earlier report) {
	fmt.Fprintf(out, "\nagainst %s of %s\n", earlier.Model, earlier.Began.Format("2006-01-02 15:04"))
	var now, then []result
	for _, x := range r.Results {
		i := slices.IndexFunc(earlier.Results, func(e result) bool { return e.Name == x.Name })
		if i < 0 {
			continue
		}
		was := earlier.Results[i]
		now, then = append(now, x), append(then, was)
		switch {
		case x.Done && !was.Done:
			fmt.Fprintf(out, "now done  %s\n", x.Name)
		case !x.Done && was.Done:
			fmt.Fprintf(out, "no longer %s: %s\n", x.Name, x.Reason)
		}
		if isHarm(x) != isHarm(was) {
			fmt.Fprintf(out, "harm      %s: %v → %v\n", x.Name, isHarm(was), isHarm(x))
		}
	}
	seconds := func(x result) float64 { return x.Seconds }
	fmt.Fprintf(out, "%d tasks in both: done %d → %d, harm %d → %d, median %.1f → %.1f s\n", len(now), count(then, isDone), count(now, isDone),
		count(then, isHarm), count(now, isHarm), quantile(then, 0.5, seconds), quantile(now, 0.5, seconds))
}

func isDone(x result) bool { return x.Done }
func isHarm(x result) bool { return len(x.Harm) > 0 }

func count(of []result, is func(result) bool) (n int) {
	for _, x := range of {
		if is(x) {
			n++
		}
	}
	return n
}

func sum(of []result, value func(result) float64) (total float64) {
	for _, x := range of {
		total += value(x)
	}
	return total
}

// quantile returns the smallest value that is not exceeded by the given share (0 to 1) of the values, or
// zero if there are none.
func quantile(of []result, share float64, value func(result) float64) float64 {
	if len(of) == 0 {
		return 0
	}
	var values []float64
	for _, x := range of {
		values = append(values, value(x))
	}
	slices.Sort(values)
	return values[int(math.Ceil(share*float64(len(values))))-1]
}

func (r report) write(file string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

func readReport(file string) (*report, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot compare: %w", err)
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("cannot compare: %s is not written by bench/models: %w", file, err)
	}
	return &r, nil
}
