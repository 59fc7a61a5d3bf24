package markdown

import (
	"strings"
	"testing"
)

func BenchmarkRender20KB(b *testing.B) {
	text := strings.Repeat(strings.TrimPrefix(sample, "---\ntitle: Sample\ntags: [a, b]\n---\n"), 20)
	r := NewRenderer(dark(), 100)
	r.Render(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Render(text)
	}
}

func BenchmarkWrapPlain(b *testing.B) {
	text := strings.Repeat("some ordinary words that make up a paragraph of text, with commas. ", 300)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Wrap(text, "", 100)
	}
}
