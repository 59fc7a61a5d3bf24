//go:build unix

// Command run compares chatvault with anchors on the same machine in the same run and prints one table. Run
// it in the root of the repository:
//
//	go run ./bench/run [-check] [-only PART,…] [-notes N,…] [-rounds N] [-chatvault FILE] [-keep DIR] [-against FILE]
//
// The parts are search, list, warm, find, links, chat, editor, stream, tokens and retrieval; without -only,
// all are measured. bench/README.md explains each figure and its anchor.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// options are the command-line options.
type options struct {
	check     bool
	only      string
	notes     string
	sizes     []int // numbers of notes, parsed from notes
	rounds    int
	chatvault string
	keep      string
	against   string
}

func main() {
	var o options
	flag.BoolVar(&o.check, "check", false, "exit with status 1 where a ratio is over its target or could not be measured")
	flag.StringVar(&o.only, "only", "", "measure these parts only: search,list,warm,find,links,chat,editor,stream,tokens,retrieval")
	flag.StringVar(&o.notes, "notes", "10000,100000", "notes in the generated vaults; the chat is measured on the first")
	flag.IntVar(&o.rounds, "rounds", 21, "timed runs of each program of a pair; a quarter of that in vaults of more than 10,000 notes")
	flag.StringVar(&o.chatvault, "chatvault", "", "measure this binary; empty: build one")
	flag.StringVar(&o.keep, "keep", filepath.Join(os.TempDir(), fmt.Sprintf("chatvault-bench-%d", os.Getuid())), "folder for what is built and generated; used again by the next run; last.json in it holds the figures of the last run")
	flag.StringVar(&o.against, "against", "", "compare with the figures that this file holds, which an earlier run wrote")
	flag.Parse()
	for n := range strings.SplitSeq(o.notes, ",") {
		size, err := strconv.Atoi(strings.TrimSpace(n))
		if err != nil || size < 1 {
			flag.Usage()
			os.Exit(2)
		}
		o.sizes = append(o.sizes, size)
	}
	if flag.NArg() > 0 || o.rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	over, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	if over && o.check {
		os.Exit(1)
	}
}

// part is a group of rows that are measured together.
type part struct {
	name    string
	measure func(context.Context, *bench) error // reports each row once it is measured
}

var parts = []part{
	{"search", measureSearch},
	{"list", measureList},
	{"warm", measureWarm},
	{"find", measureFind},
	{"links", measureLinks},
	{"chat", measureChat},
	{"editor", measureEditor},
	{"stream", measureStream},
	{"tokens", measureTokens},
	{"retrieval", measureRetrieval},
}

// run measures the chosen parts and prints the table. It reports whether a row misses its target or could
// not be measured.
func run(ctx context.Context, o options) (over bool, err error) {
	chosen, err := choose(o.only)
	if err != nil {
		return false, err
	}
	b, err := prepare(ctx, o)
	if err != nil {
		return false, err
	}
	if b.earlier, err = readFigures(o.against); err != nil {
		return false, err
	}
	fmt.Printf("%s notes, medians of up to %d interleaved runs; a ratio is ours / anchor, less is better\n\n", o.notes, o.rounds)
	printHead(os.Stdout, b.earlier)
	for _, p := range chosen {
		if err := p.measure(ctx, b); ctx.Err() != nil {
			return true, ctx.Err()
		} else if err != nil {
			b.report(row{name: p.name, missing: err.Error()})
		}
	}
	b.printAfter()
	over = slices.ContainsFunc(b.rows, func(r row) bool { return !r.ok() })
	return over, writeFigures(filepath.Join(b.keep, "last.json"), b.rows)
}

func choose(only string) ([]part, error) {
	if only == "" {
		return parts, nil
	}
	var chosen []part
	for name := range strings.SplitSeq(only, ",") {
		found := false
		for _, p := range parts {
			if p.name == strings.TrimSpace(name) {
				chosen, found = append(chosen, p), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no part %q; the parts are search, list, warm, find, links, chat, editor, stream, tokens and retrieval", name)
		}
	}
	return chosen, nil
}
