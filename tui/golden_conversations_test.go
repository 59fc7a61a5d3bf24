package tui

import (
	"context"
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/ptytest/golden"
)

// Golden screens of conversations, branches and summaries.
func TestGoldenConversations(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"boundary": func(s *screen) {
			s.deliver(event.ConversationBegan{ID: "c1"})
			s.typeText("what is new?")
			s.key("enter")
			s.deliver(event.Received{Message: s.f.sent[0]}, event.TurnStarted{MessageIDs: []string{"m1"}},
				event.ConversationEnded{ID: "c1", Reason: "idle"}, event.ConversationBegan{ID: "c2"},
				event.TextDelta{Text: "Not much."}, event.TurnFinished{},
				event.ConversationTitled{ID: "c1", Title: "Planning the nectarine tart", Summary: "A tart was planned for Sunday and written down in Plans/Tart."})
		},
		"edit-pick":     func(s *screen) { s.command("/edit"); s.key("down") },
		"editing":       func(s *screen) { s.command("/edit"); s.key("enter"); s.typeText(" a lot") },
		"edited":        func(s *screen) { s.command("/edit"); s.key("down", "enter"); s.typeText(", please"); s.key("enter") },
		"branches":      func(s *screen) { s.command("/branches") },
		"branch":        func(s *screen) { s.command("/branches"); s.key("down", "enter") },
		"switched":      func(s *screen) { s.command("/branches"); s.key("down", "enter", "enter") },
		"conversations": func(s *screen) { s.command("/conversations"); s.key("down") },
		"search":        func(s *screen) { s.command("/conversations"); s.typeText("?plums") },
		"conversation":  func(s *screen) { s.command("/conversations"); s.key("enter", "down") },
		"rename":        func(s *screen) { s.command("/conversations"); s.key("enter", "down", "down", "enter") },
		"delete":        func(s *screen) { s.command("/conversations"); s.key("enter", "up", "enter") },
		"looked-back":   func(s *screen) { s.deliver(lookBack) },
		"dropped": func(s *screen) {
			offered(s, "this", "that")
			s.deliver(event.QuestionDropped{Question: "Which one?"})
		},
		"conversation-help": func(s *screen) { s.key("f1"); s.key("pgdown") },
	}
	for name, scene := range scenes {
		for _, look := range []string{"dark", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}} {
				file := fmt.Sprintf("%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					t.Parallel()
					w, p, r := twoWays(), newPast(), new(reviews)
					if name == "edited" {
						w.moved = newWay().moved
					}
					p.search = func(context.Context, string) ([]session.Past, error) {
						found := p.list[2]
						found.Excerpts = []string{"…when the plums are ripe, the jam is made…", "…plums, sugar, a lemon…"}
						return []session.Past{found}, nil
					}
					s := newScreen(t, w.options, p.options, r.options, func(o *Options) { o.Theme = look })
					s.send(size)
					scene(s)
					golden.Check(t, file, s.m.View().Content+"\n")
				})
			}
		}
	}
}
