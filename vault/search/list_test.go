package search

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPropertyTopN: topN returns the items that a sort puts first.
func TestPropertyTopN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOf(rapid.IntRange(0, 20)).Draw(t, "items")
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		h := topN[int]{limit: limit, compare: cmp.Compare[int]}
		for _, item := range items {
			h.offer(item)
		}
		want := slices.Sorted(slices.Values(items))
		want = want[:min(limit, len(want))]
		if got := h.items; !slices.Equal(got, want) {
			t.Fatalf("kept %v of %v, want %v", got, items, want)
		}
	})
}
