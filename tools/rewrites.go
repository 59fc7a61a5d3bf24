package tools

import (
	"bytes"
	"slices"

	"chatvault/vault"
)

// linkRewrites are the notes whose links a change puts right, as they are shown to whoever
// decides about it.
func linkRewrites(rewrites []vault.Rewrite) []LinkRewrite {
	var out []LinkRewrite
	for _, r := range rewrites {
		diff, _ := textDiff(r.Path, string(r.Before), string(r.After))
		out = append(out, LinkRewrite{Path: r.Path, Links: r.Links, Diff: diff})
	}
	return out
}

// sameRewrites says whether two changes rewrite the same notes, from the same to the same.
func sameRewrites(a, b []vault.Rewrite) bool {
	return slices.EqualFunc(a, b, func(x, y vault.Rewrite) bool {
		return x.Path == y.Path && x.NewPath == y.NewPath && bytes.Equal(x.Before, y.Before) && bytes.Equal(x.After, y.After)
	})
}
