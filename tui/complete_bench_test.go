package tui

import (
	"context"
	"fmt"
	"testing"

	"chatvault/internal/session"

	tea "github.com/charmbracelet/bubbletea"
)

// BenchmarkCompletionKey is a key that narrows what is offered of 50,000 names, with the frame
// after it.
func BenchmarkCompletionKey(b *testing.B) {
	g := &garden{}
	for i := range 50_000 {
		g.files = append(g.files, session.VaultFile{Path: fmt.Sprintf("Projects/Area %d/Meeting about plum tarts %d.md", i%300, i), Size: int64(i)})
	}
	s := newScreen(b, g.options, func(o *Options) {
		completingOf(o).said = func(context.Context) (session.NoteWords, error) { return session.NoteWords{}, nil }
	})
	s.types("see [[")
	keys := []tea.KeyMsg{keyOf("p"), keyOf("l"), keyOf("u"), {Type: tea.KeyBackspace}, {Type: tea.KeyBackspace}, {Type: tea.KeyBackspace}}
	if !s.m.completion.Active() {
		b.Fatal("nothing is offered")
	}
	n := 0
	for b.Loop() {
		s.m.Update(keys[n%len(keys)])
		_ = s.m.View()
		n++
	}
}
