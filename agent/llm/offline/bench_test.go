package offline_test

import (
	"context"
	"os"
	"testing"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/vault"
)

// BenchmarkQuestion asks an engine whose index is built a question over the vault that
// CHATVAULT_BENCH_VAULT names (see bench/genvault): one model call, the walk over the vault
// for what changed included.
func BenchmarkQuestion(b *testing.B) {
	dir := os.Getenv("CHATVAULT_BENCH_VAULT")
	if dir == "" {
		b.Skip("CHATVAULT_BENCH_VAULT names no vault")
	}
	v, err := vault.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = v.Close() }()
	index := retrieval.NewIndex(vaultCorpus{v})
	e := offline.New(index)
	if err := index.Refresh(context.Background()); err != nil {
		b.Fatal(err)
	}
	for _, text := range []string{"what do I know about zyxqvrare?", "what was the quick meeting about the budget?", "show Zettel of the quick"} {
		b.Run(text, func(b *testing.B) {
			req := ask(text)
			req.Tools = []llm.ToolSpec{{Name: "read_file"}, {Name: "send_message"}}
			for b.Loop() {
				for _, err := range e.Stream(context.Background(), req) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
