package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"chatvault/internal/prosediff"
	"chatvault/vault"
)

// pieces is what became of a write that the user may take in parts.
type pieces struct {
	written   []byte // what the file holds; nil: all that was asked for
	before    string // what it held
	taken, of int    // parts
}

type piecesKey struct{}

// withPieces lets a write happen in parts. A tool that offers it says in its result what was left
// out; without it the user takes a write whole or not at all.
func withPieces(ctx context.Context) (context.Context, *pieces) {
	p := &pieces{}
	return context.WithValue(ctx, piecesKey{}, p), p
}

func piecesOf(ctx context.Context) *pieces {
	p, _ := ctx.Value(piecesKey{}).(*pieces)
	return p
}

// errNoPart is the refusal of a consent that names none of the parts there are.
var errNoPart = errors.New("no part of this change was allowed")

// take is what is to be written where the user took some of a proposal's hunks.
func (s *pieces) take(p Proposal, c Consent, whole []byte) ([]byte, error) {
	if c.Hunks == nil {
		return whole, nil
	}
	if s == nil || !p.Pick {
		return nil, &refusal{errNoPart}
	}
	hunks := slices.Clone(c.Hunks)
	slices.Sort(hunks)
	hunks = slices.DeleteFunc(slices.Compact(hunks), func(i int) bool { return i < 0 || i >= len(p.Prose.Hunks) })
	switch len(hunks) {
	case 0:
		return nil, &refusal{&Denied{}}
	case len(p.Prose.Hunks):
		return whole, nil
	}
	s.taken, s.of = len(hunks), len(p.Prose.Hunks)
	s.before, s.written = p.Prose.Apply(nil), []byte(p.Prose.Apply(hunks))
	return s.written, nil
}

// result tells the model which parts of a write were taken and which were not.
func (s *pieces) result(c vault.Change, after string) Result {
	text := fmt.Sprintf("The user took %d of the %d parts of this change. %s now holds them (%s), and nothing of the others.",
		s.taken, s.of, quote(c.Path), sizeText(int64(len(s.written))))
	text = noted(text, c) + "\n\n" + resultDiff(c.Path, s.before, string(s.written)) +
		"\n\nThe user left these parts out. Do not try to bring them in another way; if they matter, ask why.\n\n" +
		resultDiff(c.Path, string(s.written), after)
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
