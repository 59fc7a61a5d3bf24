package tools

import (
	"errors"
	"fmt"
	"slices"

	"chatvault/internal/prosediff"
	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
)

// pieces is what became of a write that the user may take in parts.
type pieces struct {
	written   []byte // what the file holds; nil: all that was asked for
	before    string // what it held
	taken, of int    // parts
}

// errNoPart is the refusal of a consent that names none of the parts there are.
var errNoPart = errors.New("no part of this change was allowed")

// take lets a plan write no more than the hunks of its proposal that the user took.
func (s *pieces) take(p Proposal, c Consent, plan *vault.Plan) error {
	if c.Hunks == nil {
		return nil
	}
	if s == nil || !p.Pick {
		return &refusal{errNoPart}
	}
	hunks := slices.Clone(c.Hunks)
	slices.Sort(hunks)
	hunks = slices.DeleteFunc(slices.Compact(hunks), func(i int) bool { return i < 0 || i >= len(p.Prose.Hunks) })
	switch len(hunks) {
	case 0:
		return &refusal{&Denied{}}
	case len(p.Prose.Hunks):
		return nil
	}
	s.taken, s.of = len(hunks), len(p.Prose.Hunks)
	s.before, s.written = p.Prose.Apply(nil), []byte(p.Prose.Apply(hunks))
	plan.Less(s.written)
	return nil
}

// result tells the model which parts of a write were taken and which were not.
func (s *pieces) result(c vault.Change, after string) Result {
	text := fmt.Sprintf("The user took %d of the %d parts of this change. %s now holds them (%s), and nothing of the others.",
		s.taken, s.of, wording.Quote(c.Path), wording.SizeText(int64(len(s.written))))
	text = noted(text, c) + "\n\n" + textedit.ResultDiff(c.Path, s.before, string(s.written)) +
		"\n\nThe user left these parts out. Do not try to bring them in another way; if they matter, ask why.\n\n" +
		textedit.ResultDiff(c.Path, string(s.written), after)
	return Result{Text: text, Summary: fmt.Sprintf("%d of %d parts", s.taken, s.of)}
}

// Bounds of what is compared passage by passage, in bytes: of both texts together, and of what of
// it can be shown.
const (
	maxProse = 8 << 20
	maxShown = 256 << 10
)

// prose compares the texts of a file passage by passage; nil where that is too much. whole says that all
// that changes can be shown.
func prose(name, before, after string) (d *prosediff.Diff, whole bool) {
	if len(before)+len(after) > maxProse {
		return nil, false
	}
	d = prosediff.CompareFile(name, before, after)
	shown := d.Bounded(maxShown)
	return shown, shown == d
}
