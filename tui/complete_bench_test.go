package tui

import (
	"context"
	"fmt"
	"testing"

	"chatvault/internal/app/session"

	tea "charm.land/bubbletea/v2"

	"chatvault/tui/keys"
)

// BenchmarkCompletionKey measures a key that narrows 50,000 names, and the frame after it.
func BenchmarkCompletionKey(b *testing.B) {
	g := &garden{}
	for i := range 50_000 {
		g.files = append(g.files, session.VaultFile{Path: fmt.Sprintf("Projects/Area %d/Meeting about plum tarts %d.md", i%300, i), Size: int64(i)})
	}
	s := newScreen(b, g.options, func(o *Options) {
		completingOf(o).said = func(context.Context) (session.NoteWords, error) { return session.NoteWords{}, nil }
	})
	s.types("see [[")
	keys := []tea.KeyPressMsg{keyOf("p"), keyOf("l"), keyOf("u"), keys.Press("backspace"), keys.Press("backspace"), keys.Press("backspace")}
	if !s.m.completion.Active() {
		b.Fatal("nothing is offered")
	}
	n := 0
	for b.Loop() {
		s.m.Update(keys[n%len(keys)])
		_ = s.m.View().Content
		n++
	}
}
