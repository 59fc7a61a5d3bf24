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

// withNear adds similar names to a KindNotFound error. It returns other errors unchanged.
func (v *Vault) withNear(ctx context.Context, err error, given string) error {
	e, ok := errors.AsType[*vaulterr.Error](err)
	if !ok || e.Kind != vaulterr.KindNotFound {
		return err
	}
	clean, cleanErr := pathname.Clean(given)
	if cleanErr != nil || clean == "." {
		return err
	}
	near := v.near(ctx, clean)
	if len(near) == 0 {
		return err
	}
	withNames := *e
	withNames.Text = strings.TrimSuffix(e.Text, ".") + ". Did you mean: " + vaulterr.QuoteAll(near, maxNear) + "?"
	return &withNames
}

// near returns the names most similar to clean, best first.
func (v *Vault) near(ctx context.Context, clean string) []string {
	ctx, cancel := context.WithTimeout(ctx, nearWithin)
	defer cancel()
	type candidate struct {
		name  string
		score float64
	}
	var best []candidate
	folder, stem := pathname.Fold(path.Dir(clean)), stemOf(clean)
	v.Source().EachName(ctx, nearCount, func(name string, _ bool) bool {
		score := similarity(stem, stemOf(name))
		if score >= nearEnough && pathname.Fold(path.Dir(name)) != folder {
			score -= 0.02
		}
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

// stemOf returns a name's last component without its extension, folded.
func stemOf(name string) string {
	base := pathname.Fold(path.Base(name))
	ext := path.Ext(base)
	if len(ext) > 10 || strings.ContainsRune(ext, ' ') {
		return base // a sentence with a dot in it
	}
	return strings.TrimSuffix(base, ext)
}

// similarity returns how similar two stems are: 1 if they are equal, 0 for nothing in common.
func similarity(one, other string) float64 {
	a, b := utf8.RuneCountInString(one), utf8.RuneCountInString(other)
	longest, shortest := max(a, b), min(a, b)
	score := 0.0
	if longest > 0 && longest-shortest <= longest/2 {
		score = 1 - float64(text.Distance(one, other, longest))/float64(longest)
	}
	if shortest >= 3 && (strings.Contains(one, other) || strings.Contains(other, one)) {
		score = max(score, 0.6+0.35*float64(shortest)/float64(longest))
	}
	return score
}
