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

	"chatvault/internal/text"
	"chatvault/vault/fold"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// Limits of the search for similar names.
const (
	maxNear    = 3
	nearWithin = 250 * time.Millisecond
	nearCount  = 200_000 // entries
	nearEnough = 0.6     // minimum similarity of a suggestion
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
type similarity struct {
	folder string // folded
	stem   []rune // folded, without extension
	ext    string // folded
}

func newSimilarity(name string) *similarity {
	s := &similarity{folder: fold.Name(path.Dir(name))}
	s.stem, s.ext = stemOf(name)
	return s
}

// stemOf returns a name's last component without its extension, folded.
func stemOf(name string) (stem []rune, ext string) {
	base := fold.Name(path.Base(name))
	ext = path.Ext(base)
	if utf8.RuneCountInString(ext) > 10 || strings.ContainsRune(ext, ' ') {
		ext = "" // a sentence with a dot in it
	}
	return []rune(strings.TrimSuffix(base, ext)), ext
}

// to returns the similarity of a name: 1 for the same base name, 0 for nothing in common. An equal folder and an
// equal extension count a little.
func (s *similarity) to(name string) float64 {
	stem, ext := stemOf(name)
	longest := max(len(stem), len(s.stem))
	if longest == 0 {
		return 0
	}
	shortest := min(len(stem), len(s.stem))
	score := 0.0
	if longest-shortest <= longest/2 {
		score = 1 - float64(text.Distance(string(stem), string(s.stem), longest))/float64(longest)
	}
	if shortest >= 3 && contains(stem, s.stem) {
		score = max(score, 0.6+0.35*float64(shortest)/float64(longest))
	}
	if score < nearEnough {
		return 0
	}
	if ext != s.ext {
		score -= 0.02
	}
	if fold.Name(path.Dir(name)) != s.folder {
		score -= 0.02
	}
	return score
}

// contains reports whether one of two names contains the other.
func contains(a, b []rune) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return strings.Contains(string(a), string(b))
}
