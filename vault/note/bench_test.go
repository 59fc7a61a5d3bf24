package note

import "testing"

func BenchmarkProperties(b *testing.B) {
	text := []byte("---\ntitle: Weekly review\ntags: [review, weekly/2026]\ndate: 2026-11-21\naliases:\n  - Review\nstatus: \"in progress\"\n---\n# Weekly review\n")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Properties(text); err != nil {
			b.Fatal(err)
		}
	}
}
