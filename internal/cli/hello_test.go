package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/lines"
	"chatvault/internal/session"
	"chatvault/internal/terminal/output"
	"chatvault/tui"
)

// still is an agent to which nothing happens.
type still struct{}

func (still) Approval() event.Approval                           { return event.ApprovalOff }
func (still) SetApproval(event.Approval) error                   { return nil }
func (still) Busy() bool                                         { return false }
func (still) Save(string)                                        {}
func (still) ResumeGoal() error                                  { return nil }
func (still) SetGoal(string) (event.Goal, error)                 { return event.Goal{}, nil }
func (still) Usage() (conversation, day event.Totals, err error) { return }
func (still) Context() (tokens, window int)                      { return }
func (still) Load(context.Context) (session.Loaded, error)       { return session.Loaded{}, nil }
func (still) Custom(context.Context) (session.Custom, error)     { return session.Custom{}, nil }
func (still) Submit(context.Context, event.Inbound) (event.Inbound, error) {
	return event.Inbound{}, nil
}
func (still) Stop()                                           {}
func (still) TakeBack(string) (event.Inbound, bool)           { return event.Inbound{}, false }
func (still) Answer(string, event.Answer) error               { return nil }
func (still) Close()                                          {}
func (still) Next(ctx context.Context) ([]event.Event, error) { <-ctx.Done(); return nil, ctx.Err() }

// noPast are no conversations.
type noPast struct{ lines.Conversations }

func (noPast) Compact() error                                       { return nil }
func (noPast) Retrospect() error                                    { return nil }
func (noPast) ExportActive(context.Context, string) (string, error) { return "", nil }

// TestACommandIsARow: what a row of the table says is in the palette, the help and completion, in the
// chat as lines and in ask, and it runs.
func TestACommandIsARow(t *testing.T) {
	table := append(session.Commands(), session.Command{
		Name: "hello", Does: "say hello", Ask: "Say it to somebody.",
		Run: func(session.Call) session.Reply { return session.Reply{Say: "Hello to you."} },
	})
	shows := func(where, text string, wanted ...string) {
		t.Helper()
		for _, w := range wanted {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q:\n%s", where, w, text)
			}
		}
	}
	screen := tui.New(t.Context(), tui.Options{Processor: still{}, Events: still{}, VaultName: "notes", Screen: tui.Screen{NoColor: true}, Typed: tui.Typed{Commands: table}})
	screen.Update(tea.WindowSizeMsg{Width: 80, Height: 60})
	typed := func(text string) string {
		for _, r := range text {
			screen.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
		}
		return ansi.Strip(screen.View())
	}
	press := func(k tea.KeyType) string { screen.Update(tea.KeyMsg{Type: k}); return ansi.Strip(screen.View()) }
	shows("completion", typed("/hel"), "/hello", "say hello")
	typed("lo ")
	shows("the screen", press(tea.KeyEnter), "Hello to you.")
	press(tea.KeyCtrlP)
	shows("the palette", typed("hello"), "/hello", "say hello")
	press(tea.KeyEsc)
	typed("/help ")
	help := press(tea.KeyEnter)
	for range 20 {
		help += press(tea.KeyPgDown)
	}
	shows("the help", help, "/hello", "say hello")

	var out bytes.Buffer
	lines.Run(t.Context(), lines.Options{
		In: strings.NewReader("/help\n/hello\n"), Out: output.New(&out, false), Events: still{}, Commands: table,
		Agent: still{}, Conversations: noPast{}, Drafts: still{},
	})
	shows("the chat as lines", out.String(), "/hello: say hello\n", "\nHello to you.\n")

	_, err := expandSlash(Streams{}, &globals{}, table, "/hello")
	if err == nil {
		t.Fatal("ask takes /hello for a message")
	}
	shows("ask", err.Error(), "/hello is a command of the chat", "Say it to somebody.")
}
