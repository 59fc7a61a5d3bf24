// Command retrieval measures how often a question finds its note. It compares the offline engine, run
// through the chatvault binary, with the bm25 ranking of SQLite's FTS5 on the same questions and vaults.
//
//	go run . -chatvault ../../bin/chatvault [-check] [-v] [-split dev] [-outside DIR] [-questions FILE]
//
// The sets in testdata/questions/outside are over public vaults that are not in this repository. They are
// asked if the folder of -outside contains the vault under the name in the set. Questions must not change
// their vault; those that do are listed and fail -check. -questions names a file with other questions over
// vaults in that folder: a list "questions" of objects with the vault's name, the question and the notes
// that answer it.
//
// hit@1 is the share of questions whose answer cites an expected note first; hit@3 is the share with an
// expected note among the first three. FTS5 gets the words of the question without stop words, joined by
// OR. Of several title weights, the table shows the best one for FTS5.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"text/tabwriter"
)

// titleWeights are the weights of the title, relative to the text, that are tried for FTS5.
var titleWeights = []float64{1, 2, 4, 8}

// The shares of hits that the engine must reach with -check.
const (
	minFirst = 0.70
	minThree = 0.90
)

func main() {
	root := flag.String("root", "../..", "the repository")
	binary := flag.String("chatvault", "../../bin/chatvault", "the program")
	check := flag.Bool("check", false, "fail where the engine has fewer hits than it should")
	verbose := flag.Bool("v", false, "print what each question found")
	outside := flag.String("outside", "", "the folder with the vaults that are no part of the repository")
	split := flag.String("split", "", "ask only the questions of this split: dev, heldout")
	questions := flag.String("questions", "", "ask those of this file instead, over vaults in the folder of -outside")
	flag.Parse()
	if err := run(os.Stdout, options{*root, *binary, *outside, *split, *questions, *check, *verbose}); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "retrieval:", err)
		os.Exit(1)
	}
}

// score counts questions, those with an expected note first, and those with one among the first three.
type score struct {
	questions, first, three int
}

func (s *score) add(rank int) {
	s.questions++
	if rank == 0 {
		s.first++
	}
	if rank >= 0 && rank < 3 {
		s.three++
	}
}

func (s score) shares() (first, three float64) {
	if s.questions == 0 {
		return 0, 0
	}
	n := float64(s.questions)
	return float64(s.first) / n, float64(s.three) / n
}

// better reports whether s is better than o. Hits among the first three break ties of first hits.
func (s score) better(o score) bool {
	if s.first != o.first {
		return s.first > o.first
	}
	return s.three > o.three
}

// tally maps groups of questions to the scores of a ranking. The groups are the name of each set, the
// groups of sets (see group) and "all".
type tally map[string]*score

func (t tally) add(part string, rank int) {
	if t[part] == nil {
		t[part] = &score{}
	}
	t[part].add(rank)
}

type options struct {
	root, binary, outside, split, questions string
	check, verbose                          bool
}

func run(out io.Writer, o options) error {
	sets, err := readSets(o.root)
	if o.questions != "" {
		sets, err = readQuestions(o.questions)
	}
	if err != nil {
		return err
	}
	binary, err := filepath.Abs(o.binary)
	if err != nil {
		return err
	}
	if _, err := os.Stat(binary); err != nil {
		return fmt.Errorf("%w; build it first (make build), or name it with -chatvault", err)
	}
	scratch, err := os.MkdirTemp("", "retrieval")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()

	ours := tally{}
	theirs := make([]tally, len(titleWeights))
	parts := []string{}
	var harm []string
	for _, set := range sets {
		vault := filepath.Join(o.root, filepath.FromSlash(set.Vault))
		if set.Outside != "" {
			vault = filepath.Join(o.outside, set.Outside)
			if _, err := os.Stat(vault); o.outside == "" || err != nil {
				_, _ = fmt.Fprintf(out, "%s is left out: -outside names no folder that holds it\n", set.Outside)
				continue
			}
		}
		if o.split != "" {
			set.Questions = slices.DeleteFunc(set.Questions, func(q question) bool { return q.Split != o.split })
		}
		parts = append(parts, set.name())
		e, err := newEngine(binary, vault, scratch)
		if err != nil {
			return err
		}
		if err := evaluate(out, e.search, set, ours, o.verbose); err != nil {
			return err
		}
		harm = append(harm, e.harm...)
		notes, err := readNotes(vault)
		if err != nil {
			return err
		}
		for i, weight := range titleWeights {
			f, err := newFTS(notes, weight)
			if err != nil {
				return err
			}
			if theirs[i] == nil {
				theirs[i] = tally{}
			}
			err = evaluate(nil, f.search, set, theirs[i], false)
			if err := errors.Join(err, f.close()); err != nil {
				return err
			}
		}
	}
	best := 0
	for i := range theirs {
		if theirs[i]["all"].better(*theirs[best]["all"]) {
			best = i
		}
	}
	parts = append(parts, judged, hard, outsiders, "all")
	if err := report(out, parts, ours, theirs[best], titleWeights[best]); err != nil {
		return err
	}
	for _, h := range harm {
		_, _ = fmt.Fprintln(out, h)
	}
	switch {
	case !o.check:
		return nil
	case len(harm) > 0:
		return fmt.Errorf("%d questions changed their vault", len(harm))
	}
	if err := checkShares(*ours[judged], *theirs[best][judged]); err != nil {
		return err
	}
	return checkAhead(*ours["all"], *theirs[best]["all"])
}

// Groups of sets in the table.
const (
	// judged are the sets for which minimum shares are promised.
	judged = "sample and workshop"
	// hard are sets by other authors, whose questions share almost no words with their notes.
	hard = "harder sets"
	// outsiders are the sets over public vaults that are not in the repository.
	outsiders = "public vaults"
)

func group(set questionSet) string {
	if set.Outside != "" {
		return outsiders
	}
	if name := path.Base(set.Vault); name == "vault" || name == "workshop" {
		return judged
	}
	return hard
}

// evaluate asks the questions of a set and adds their scores to t. If verbose is set, it prints each result
// to out.
func evaluate(out io.Writer, search func(string) ([]string, error), set questionSet, t tally, verbose bool) error {
	for _, q := range set.Questions {
		ranked, err := search(q.Text)
		if err != nil {
			return err
		}
		if len(q.Expect) == 0 {
			continue
		}
		place := rank(ranked, q.Expect)
		for _, part := range []string{set.name(), group(set), "all"} {
			t.add(part, place)
		}
		if verbose {
			_, _ = fmt.Fprintf(out, "%s %-8s %2d  %s\n", q.ID, q.Split, place+1, q.Text)
			if place != 0 {
				_, _ = fmt.Fprintf(out, "               expected %q\n               found    %q\n", q.Expect, ranked[:min(3, len(ranked))])
			}
		}
	}
	return nil
}

// report prints a table of the shares with a line for each group of questions.
func report(out io.Writer, parts []string, ours, theirs tally, weight float64) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "retrieval\tquestions\tchatvault hit@1\thit@3\tFTS5 bm25 (title ×%g) hit@1\thit@3\n", weight)
	for _, part := range parts {
		if ours[part] == nil || theirs[part] == nil {
			continue
		}
		o1, o3 := ours[part].shares()
		t1, t3 := theirs[part].shares()
		_, _ = fmt.Fprintf(w, "%s\t%d\t%.0f%%\t%.0f%%\t%.0f%%\t%.0f%%\n", part, ours[part].questions, 100*o1, 100*o3, 100*t1, 100*t3)
	}
	return w.Flush()
}

// checkShares returns an error if the engine misses the minimum shares or is not ahead of FTS5.
func checkShares(ours, theirs score) error {
	first, three := ours.shares()
	switch {
	case first < minFirst:
		return fmt.Errorf("hit@1 is %.3f, below %.2f", first, minFirst)
	case three < minThree:
		return fmt.Errorf("hit@3 is %.3f, below %.2f", three, minThree)
	}
	return checkAhead(ours, theirs)
}

// checkAhead returns an error unless the engine has more first hits than FTS5, and at least as many hits among
// the first three.
func checkAhead(ours, theirs score) error {
	if ours.first <= theirs.first || ours.three < theirs.three {
		return fmt.Errorf("not ahead of FTS5: hit@1 %d against %d, hit@3 %d against %d", ours.first, theirs.first, ours.three, theirs.three)
	}
	return nil
}
