package tools

import "chatvault/vault"

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
