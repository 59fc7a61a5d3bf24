package search

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The heap keeps what a sort would put first.
func TestPropertyBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOf(rapid.IntRange(0, 20)).Draw(t, "items")
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		h := topN[int]{limit: limit, ahead: func(a, b *int) bool { return *a < *b }}
		for _, item := range items {
			h.offer(item)
		}
		want := slices.Sorted(slices.Values(items))
		want = want[:min(limit, len(want))]
		if got := slices.Sorted(slices.Values(h.items)); !slices.Equal(got, want) {
			t.Fatalf("kept %v of %v, want %v", got, items, want)
		}
	})
}
