package vault

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"chatvault/internal/base/text"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// Limits of the search for similar names.
const (
	maxNear    = 3
	nearWithin = 250 * time.Millisecond
	nearCount  = 200_000 // entries
	nearEnough = 0.58    // minimum similarity of a suggestion
)

// nearKind defines which names are useful suggestions.
type nearKind int

const (
	filesOnly nearKind = iota
	filesAndFolders
)

// withNear adds similar names to a KindNotFound error. It returns other errors unchanged.
func (v *Vault) withNear(ctx context.Context, err error, given string, kind nearKind) error {
	e, ok := errors.AsType[*vaulterr.Error](err)
	if !ok || e.Kind != vaulterr.KindNotFound {
		return err
	}
	clean, cleanErr := pathname.Clean(given)
	if cleanErr != nil || clean == "." {
		return err
	}
	near := v.near(ctx, clean, kind)
	if len(near) == 0 {
		return err
	}
	told := *e
	told.Near = near
	told.Text = strings.TrimSuffix(e.Text, ".") + ". Did you mean: " + vaulterr.QuoteAll(near, maxNear) + "?"
	return &told
}

// near returns the names most similar to clean, best first.
func (v *Vault) near(ctx context.Context, clean string, kind nearKind) []string {
	ctx, cancel := context.WithTimeout(ctx, nearWithin)
	defer cancel()
	type candidate struct {
		name  string
		score float64
	}
	var best []candidate
	wanted := newSimilarity(clean)
	v.Source().EachName(ctx, nearCount, func(name string, folder bool) bool {
		if folder && kind == filesOnly {
			return true
		}
		score := wanted.to(name)
		if score < nearEnough || len(best) == maxNear && score < best[maxNear-1].score {
			return true
		}
		best = append(best, candidate{name, score})
		slices.SortFunc(best, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.name, b.name))
		})
		best = best[:min(len(best), maxNear)]
		return true
	})
	return text.Of(best, func(c candidate) string { return c.name })
}

// similarity compares names with a given name.
type similarity struct{ folder, stem string } // folded

func newSimilarity(name string) similarity {
	return similarity{pathname.Fold(path.Dir(name)), stemOf(name)}
}

// stemOf returns a name's last component without its extension, folded.
func stemOf(name string) string {
	base := pathname.Fold(path.Base(name))
	ext := path.Ext(base)
	if len(ext) > 10 || strings.ContainsRune(ext, ' ') {
		return base // a sentence with a dot in it
	}
	return strings.TrimSuffix(base, ext)
}

// to returns the similarity of a name: 1 for the same stem, 0 for nothing in common. An equal folder counts a little.
func (s similarity) to(name string) float64 {
	stem := stemOf(name)
	a, b := utf8.RuneCountInString(stem), utf8.RuneCountInString(s.stem)
	longest, shortest := max(a, b), min(a, b)
	score := 0.0
	if longest > 0 && longest-shortest <= longest/2 {
		score = 1 - float64(text.Distance(stem, s.stem, longest))/float64(longest)
	}
	if shortest >= 3 && (strings.Contains(stem, s.stem) || strings.Contains(s.stem, stem)) {
		score = max(score, 0.6+0.35*float64(shortest)/float64(longest))
	}
	if score >= nearEnough && pathname.Fold(path.Dir(name)) != s.folder {
		score -= 0.02
	}
	return score
}
