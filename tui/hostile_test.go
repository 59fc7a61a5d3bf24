package tui

import (
	"testing"
	"time"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
)

// Titles, summaries, excerpts, messages and paths come from a model, a note or another process:
// none of them does anything to the terminal where conversations are looked through.
func TestHostileTextInConversations(t *testing.T) {
	t.Parallel()
	for _, row := range hostileTexts(t) {
		x := row.text
		s := newScreen(t, twoWays().options, newPast().options)
		s.send(tea.WindowSizeMsg{Width: 60, Height: 40})
		p := Past{ID: "c", Title: x, First: x, Summary: x, Ended: time.Unix(1, 0), Excerpts: []string{x, x}}
		history := []HistoryItem{
			{Role: HistoryUser, Content: x, ID: "m", Turn: "m"},
			{Role: HistoryAssistant, Content: x},
			{Role: HistoryTool, Content: x, Target: x, Summary: x, Detail: x},
			{Role: HistoryAgentMessage, Content: x},
			{Role: HistoryError, Content: x},
			{Role: HistoryNotice, Content: x},
		}
		for _, step := range []struct {
			name string
			msg  tea.Msg
		}{
			{"another way", movedMsg{Moved: Moved{History: history, Left: 1, Changed: []string{x}}}},
			{"a list", pastMsg{list: []Past{p, p}}},
			{"a conversation", readPastMsg{past: p, history: history}},
		} {
			s.send(step.msg)
			s.now = s.now.Add(time.Second)
			checkFrame(t, s.m)
			for _, c := range sgr.ReplaceAllString(s.m.View(), "") {
				if unicode.IsControl(c) && c != '\n' || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 {
					t.Fatalf("%s in %s: %U reached the screen", row.why, step.name, c)
				}
			}
		}
	}
}
