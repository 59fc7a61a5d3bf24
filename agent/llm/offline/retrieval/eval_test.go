package retrieval_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"chatvault/agent/llm/offline/retrieval"
)

// questionSet is a file of testdata/questions.
type questionSet struct {
	Vault     string `json:"vault"` // relative to the repository
	Questions []struct {
		ID       string   `json:"id"`
		Split    string   `json:"split"`
		Question string   `json:"question"`
		Expect   []string `json:"expect"`
	} `json:"questions"`
}

const repository = "../../../.."

// The minimum shares of paraphrased questions that find their note first, and among the first three.
const (
	leastFirst = 0.70
	leastThree = 0.90
)

// TestParaphrasedQuestions checks the thresholds on both vaults. bench/retrieval measures the same with whole
// answers, against SQLite's FTS5. The split "heldout" is only for measuring.
func TestParaphrasedQuestions(t *testing.T) {
	all := map[string]int{}
	first, three := map[string]int{}, map[string]int{}
	for _, name := range []string{"sample.json", "workshop.json"} {
		raw, err := os.ReadFile(filepath.Join(repository, "testdata", "questions", name))
		if err != nil {
			t.Fatal(err)
		}
		var set questionSet
		if err := json.Unmarshal(raw, &set); err != nil {
			t.Fatal(err)
		}
		x := retrieval.NewIndex(folder(filepath.Join(repository, filepath.FromSlash(set.Vault))))
		if err := x.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, q := range set.Questions {
			hits, err := x.Search(context.Background(), retrieval.Query{Text: q.Question}, 3)
			if err != nil {
				t.Fatal(err)
			}
			rank := slices.IndexFunc(hits, func(h retrieval.Hit) bool { return slices.Contains(q.Expect, h.Path) })
			for _, split := range []string{q.Split, "all"} {
				all[split]++
				if rank == 0 {
					first[split]++
				}
				if rank >= 0 {
					three[split]++
				}
			}
		}
	}
	share := func(n map[string]int, split string) float64 { return float64(n[split]) / float64(all[split]) }
	for _, split := range []string{"dev", "heldout", "all"} {
		t.Logf("%s: %d questions, first %.0f%%, first three %.0f%%", split, all[split], 100*share(first, split), 100*share(three, split))
	}
	if all["all"] < 40 {
		t.Fatalf("only %d questions", all["all"])
	}
	if share(first, "all") < leastFirst || share(three, "all") < leastThree {
		t.Errorf("first %.2f, first three %.2f; want at least %.2f and %.2f", share(first, "all"), share(three, "all"), leastFirst, leastThree)
	}
}
