// Retrieval measures how well a question finds its note: the offline engine, asked
// through the program itself, against the bm25 of SQLite's FTS5, on the same questions
// over the same vaults in the same run.
//
//	go run . -chatvault ../../bin/chatvault [-check] [-v] [-split dev] [-outside DIR] [-questions FILE]
//
// The sets of testdata/questions/outside are over public vaults that are no part of this
// repository: those are asked that -outside holds, under the names the sets give. No
// question may change a byte of its vault; those that do are listed, and fail a -check.
// -questions names a file of other questions over vaults in that folder: a list "questions" of objects
// with the vault's name, the question and the notes that answer it.
//
// hit@1 is the share of questions whose answer cites an expected note first, hit@3 of
// those that cite one among the first three notes. FTS5 gets the question's words
// without the stop words, joined by OR, and of several weights of the title the one
// that serves it best.
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

// titleWeights are those tried for FTS5.
var titleWeights = []float64{1, 2, 4, 8}

// The engine's least share of hits for -check.
const (
	leastFirst = 0.70
	leastThree = 0.90
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

// score counts hits.
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

// better says whether s finds more than o: first hits count before those among three.
func (s score) better(o score) bool {
	if s.first != o.first {
		return s.first > o.first
	}
	return s.three > o.three
}

// tally is the scores of a ranking by part of the questions: "dev", "heldout", "all",
// and the path of each vault.
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
	if err := verdict(*ours[judged], *theirs[best][judged]); err != nil {
		return err
	}
	return ahead(*ours["all"], *theirs[best]["all"])
}

// The groups of the table, beside those over public vaults: the sets whose shares are promised, and those written later by
// others, to share almost no word with their notes.
const (
	judged = "sample and workshop"
	hard   = "harder sets"
	// outsiders are the sets over vaults that are no part of the repository.
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

// evaluate asks every question of a set.
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

// report prints the shares, a line a part of the questions.
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

// verdict is an error where the engine finds less than it should, or less than FTS5.
func verdict(ours, theirs score) error {
	first, three := ours.shares()
	switch {
	case first < leastFirst:
		return fmt.Errorf("hit@1 is %.3f, below %.2f", first, leastFirst)
	case three < leastThree:
		return fmt.Errorf("hit@3 is %.3f, below %.2f", three, leastThree)
	}
	return ahead(ours, theirs)
}

// ahead is an error where the engine finds less than FTS5.
func ahead(ours, theirs score) error {
	if ours.first <= theirs.first || ours.three < theirs.three {
		return fmt.Errorf("not ahead of FTS5: hit@1 %d against %d, hit@3 %d against %d", ours.first, theirs.first, ours.three, theirs.three)
	}
	return nil
}
