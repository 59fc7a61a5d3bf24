package retrieval_test

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"chatvault/agent/llm/offline/retrieval"
)

// BenchmarkLargeVault indexes the vault in CHATVAULT_BENCH_VAULT (see bench/genvault), refreshes it unchanged, and
// asks it a question.
func BenchmarkLargeVault(b *testing.B) {
	dir := os.Getenv("CHATVAULT_BENCH_VAULT")
	if dir == "" {
		b.Skip("CHATVAULT_BENCH_VAULT names no vault")
	}
	ctx := context.Background()
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		x := retrieval.NewIndex(folder(dir))
		start := time.Now()
		if err := x.Refresh(ctx); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "index-ms")
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "index-MiB")
		start = time.Now()
		if err := x.Refresh(ctx); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "refresh-ms")
		start = time.Now()
		for _, q := range []string{"zyxqvrare", "what was the quick meeting about the budget", "tasks with deadline for the project last month", "somethng rare"} {
			if _, err := x.Search(ctx, retrieval.Query{Text: q}, 5); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(time.Since(start).Milliseconds())/4, "question-ms")
	}
}
