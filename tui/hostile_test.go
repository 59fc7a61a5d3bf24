package tui

import (
	"context"
	"slices"
	"testing"
	"time"
	"unicode"

	"chatvault/conversation"
	"chatvault/internal/app/session"
	"chatvault/tui/loop"

	tea "charm.land/bubbletea/v2"
)

// Titles, summaries, excerpts, messages and tool output come from a model, a note or another process and must not
// affect the terminal where conversations are browsed. All of them are in one list and one conversation, which the
// test pages through.
func TestHostileTextInConversations(t *testing.T) {
	t.Parallel()
	var texts []string
	var list []session.Past
	var history []session.HistoryItem
	for _, row := range hostileTexts(t) {
		x := row.text
		texts = append(texts, x)
		list = append(list, session.Past{Entry: conversation.Entry{ID: "c", Title: x, First: x, Summary: x, Ended: time.Unix(1, 0)}, Excerpts: []string{x}})
		history = append(history, session.HistoryItem{Role: session.HistoryUser, Content: x, ID: "m", Turn: "m"}, session.HistoryItem{Role: session.HistoryTool, Content: x, Target: x, Summary: x, Detail: x})
		if len(x) < 1000 { // paging through a flood takes too long
			history = append(history, session.HistoryItem{Role: session.HistoryAssistant, Content: x}, session.HistoryItem{Role: session.HistoryAgentMessage, Content: x},
				session.HistoryItem{Role: session.HistoryError, Content: x}, session.HistoryItem{Role: session.HistoryNotice, Content: x})
		}
	}
	s := newScreen(t, twoWays().options, newPast().options)
	s.send(tea.WindowSizeMsg{Width: 60, Height: 60})
	frames := 0
	check := func(where string) {
		t.Helper()
		frames++
		checkFrame(t, s.m)
		for _, c := range sgr.ReplaceAllString(s.m.View().Content, "") {
			if unicode.IsControl(c) && c != '\n' || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 {
				t.Fatalf("in %s: %U reached the screen:\n%q", where, c, s.m.View().Content)
			}
		}
	}
	archive := s.m.o.Conversations.(*fakeConversations)
	archive.list = func(context.Context) ([]session.Past, error) { return list, nil }
	of, err := session.ListConversations(t.Context(), archive)
	if err != nil {
		t.Fatal(err)
	}
	s.run(s.m.lists.show(of, ""))
	s.m.dirty = true
	for range len(list) / 10 {
		check("a list")
		s.key("pgdown")
	}
	if s.m.dialogs.Empty() || frames == 0 {
		t.Fatal("no list is open")
	}
	archive.read = func(context.Context, string) ([]session.HistoryItem, error) { return history, nil }
	s.run(s.m.lists.pick(of.Items[0], "a"))
	s.key("ctrl+t") // and tool output
	for more := true; more; more = s.m.reading().Below() {
		check("a conversation")
		if frames > 2000 {
			t.Fatal("it has no end")
		}
		s.key("pgdown")
	}
	check("the end of a conversation")
	s.m.lists.close()
	for changed := range slices.Chunk(texts, 7) {
		s.send(loop.Do(func() tea.Cmd {
			return s.m.moved(session.Moved{Page: session.Page{Items: history[:1]}, Left: 1, Changed: changed}, false, nil)
		}))
		check("what turns had changed")
	}
}
