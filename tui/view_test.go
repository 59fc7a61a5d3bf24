package tui

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/colorprofile"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/app/session"
	"chatvault/internal/base/cells"
	"chatvault/tui/loop"
)

// checkFrame checks the invariants of every frame.
func checkFrame(t interface{ Fatalf(string, ...any) }, m *Model) {
	lines := strings.Split(m.View().Content, "\n")
	if len(lines) != m.height {
		t.Fatalf("%d lines on a screen of %d", len(lines), m.height)
	}
	for _, l := range lines {
		if w := cells.Width(l); w > m.width {
			t.Fatalf("a line of %d cells on a screen of %d: %q", w, m.width, l)
		}
	}
}

// Frames are whole after any events, at any size.
func TestFramesAlwaysFitTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFake()
		now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		o := Options{
			Processor: f, Events: f, VaultName: "A vault with a rather long name", VaultDir: "/a/b/c", Engine: Engine{Provider: "openrouter/some-very-long-model-name"},
			ReadOnly: rapid.Bool().Draw(t, "read-only"),
			Screen:   Screen{ColorProfile: colorprofile.TrueColor}, Now: func() time.Time { return now },
		}
		w, rules := twoWays(), new(reviews)
		w.options(&o)
		newPast().options(&o)
		rules.options(&o)
		m := New(t.Context(), o)
		n := 0
		branches := func(ctx context.Context) (*session.List, error) { return session.ListBranches(ctx, o.Conversation) }
		conversations := func(ctx context.Context) (*session.List, error) {
			return session.ListConversations(ctx, o.Conversations)
		}
		itemOf := func(of func(context.Context) (*session.List, error), n int) session.Item {
			list, _ := of(t.Context())
			return list.Items[n]
		}
		// Results of background work arrive at any time.
		looked := []func() tea.Msg{
			func() tea.Msg {
				return loop.Do(func() tea.Cmd { return m.pickUserMessage(userMessagesIn(w.history)) })
			},
			func() tea.Msg { return m.lists.open(branches)() },
			func() tea.Msg { return m.lists.pick(itemOf(branches, n%2), "")() },
			func() tea.Msg { return m.lists.open(conversations)() },
			func() tea.Msg { return m.lists.pick(itemOf(conversations, 0), "words")() },
			func() tea.Msg {
				return loop.Do(func() tea.Cmd {
					got, _ := itemOf(conversations, 0).Read(t.Context())
					return m.lists.choose(got.Actions[n%2]) // it runs the action, or asks for a title
				})
			},
			func() tea.Msg {
				return loop.Do(func() tea.Cmd { return m.moved(w.moved, n%2 == 0, nil) })
			},
			func() tea.Msg {
				return loop.Do(func() tea.Cmd { return m.edit(userInput{id: "m1", text: "first\nand more", mode: event.ModeAct}) })
			},
			func() tea.Msg {
				m.event(lookBack)
				return nil
			},
		}
		events := []func() event.Event{
			func() event.Event {
				n++
				return event.Received{Message: event.Inbound{ID: string(rune('a' + n%26)), Text: "queued\ntext 日本語 " + strings.Repeat("w", n%50)}}
			},
			func() event.Event { return event.TurnStarted{MessageIDs: []string{string(rune('a' + n%26))}} },
			func() event.Event { return event.StateChanged{State: event.StateThinking} },
			func() event.Event { return event.StateChanged{State: event.StateActing} },
			func() event.Event {
				return event.TextDelta{Text: "Some **text** and\n\n- a list\n\n| a | b |\n|--|--|\n"}
			},
			func() event.Event { return event.ReasoningDelta{Text: "hm"} },
			func() event.Event { return event.ToolCallDelta{ID: "t", Name: "write_file", Bytes: 3000} },
			func() event.Event {
				return event.ToolStarted{ID: "t", Name: "write_file", Target: "Some/long/path/to a note.md"}
			},
			func() event.Event { return event.ToolFinished{ID: "t", Name: "write_file", Summary: "created"} },
			func() event.Event { return event.AgentMessage{Content: "Which **one**?", IsQuestion: true} },
			func() event.Event {
				return event.Retry{Attempt: 2, Delay: time.Second, Code: llm.KindNetwork}
			},
			func() event.Event { return event.Folded{MessageIDs: []string{string(rune('a' + n%26))}} },
			func() event.Event { return steps(t, n%7, 6+n%7) },
			func() event.Event {
				return event.Nested{CallID: "d", Event: event.ToolStarted{ID: "n", Name: "read_file", Target: "Some/long/path/to a note.md"}}
			},
			func() event.Event {
				return event.Nested{CallID: "d", Event: event.ToolFinished{ID: "n", Name: "read_file", Summary: "42 lines"}}
			},
			func() event.Event {
				return event.ToolFinished{ID: "d", Name: "delegate", Summary: "a report", Result: strings.Repeat("A line of it\n", 30)}
			},
			func() event.Event { return event.CompactStarted{} },
			func() event.Event { return event.Compacted{Summary: "# We\n\nplanned", Before: 90_000, After: 8000} },
			func() event.Event { return event.CompactFailed{Text: "no"} },
			func() event.Event {
				all := event.Totals{Calls: n, Prompt: n * 3000, Priced: n%2 == 0, Cost: 0.3}
				return event.UsageReported{Turn: event.Totals{Calls: 1, Prompt: 3000, Estimated: true}, Conversation: all}
			},
			func() event.Event {
				return event.AgentMessage{Content: "Which?", IsQuestion: true, Options: []string{"this one, the longer of the two", "that"}}
			},
			func() event.Event { return event.Requested{Request: edit("r1")} },
			func() event.Event { return event.Requested{Request: secret("r2")} },
			func() event.Event { return event.RequestEnded{ID: "r1", Decision: event.AllowConversation} },
			func() event.Event {
				return event.GoalChanged{Goal: event.Goal{Text: "tidy", Status: event.GoalPaused, Why: "it was stopped by the user", MaxTurns: 10}}
			},
			func() event.Event {
				return event.GoalChanged{Goal: event.Goal{Text: "tidy", Status: event.GoalChecking, MaxTurns: 10}}
			},
			func() event.Event { return event.TurnFinished{} },
			func() event.Event { return event.TurnStopped{Changed: []string{"Created file \"x.md\"."}} },
			func() event.Event { return event.TurnFailed{Text: "It failed\nDo this."} },
			func() event.Event { return event.Notice{Text: "a notice"} },
			func() event.Event { return event.Retrospected{ConversationTitle: "T", Content: "c"} },
			func() event.Event { return lookBack },
			func() event.Event { return event.ConversationBegan{ID: "c"} },
			func() event.Event {
				return event.ConversationEnded{ID: string(rune('a' + n%26)), Reason: "idle"}
			},
			func() event.Event {
				return event.ConversationTitled{ID: string(rune('a' + n%26)), Title: "A title of some length 日本語", Summary: "It was about\nthis."}
			},
			func() event.Event { return event.QuestionDropped{Question: "Which?"} },
		}
		keys := []string{"a", "text to write ", "enter", "esc", "up", "down", "pgup", "pgdown", "home", "end", "ctrl+j", "f1", "ctrl+c", "ctrl+t", "tab", "?"}
		size := func() {
			m.Update(tea.WindowSizeMsg{
				Width:  rapid.SampledFrom([]int{1, 2, 3, 7, 10, 25, 40, 80, 120, 220}).Draw(t, "width"),
				Height: rapid.SampledFrom([]int{1, 2, 3, 5, 8, 15, 24, 60}).Draw(t, "height"),
			})
		}
		size()
		checkFrame(t, m)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "do") {
			case 5:
				m.Update(rapid.SampledFrom(looked).Draw(t, "looked up")())
			case 0:
				size()
			case 1, 2:
				m.Deliver(rapid.SampledFrom(events).Draw(t, "event")())
			case 3:
				m.Update(keyOf(rapid.SampledFrom(keys).Draw(t, "key")))
			case 4:
				m.Update(tickMsg{})
			}
			now = now.Add(300 * time.Millisecond)
			checkFrame(t, m)
		}
	})
}

// While nothing changes the frame is the same string, so nothing is written.
func TestIdleFramesAreTheSame(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.TextDelta{Text: "Some text"}, event.TurnFinished{})
	before := s.m.View().Content
	s.send(nil)
	s.send(struct{}{})
	if s.m.View().Content != before {
		t.Error("the frame changed although nothing happened")
	}
	if cmd := s.m.after(); cmd != nil {
		t.Error("an idle screen has something to do")
	}
}

// A frame costs the same at 10,000 messages as at 10.
func TestFrameCostDoesNotGrow(t *testing.T) {
	cost := func(messages int) float64 {
		s := newScreen(t)
		for range messages {
			s.m.appendItem(plainItem{})
		}
		s.m.View()
		return testing.AllocsPerRun(50, func() {
			s.m.dirty = true
			s.m.View()
		})
	}
	few, many := cost(20), cost(10000)
	if many > 1.2*few {
		t.Errorf("a frame costs %v allocations at 10,000 messages, %v at 20", many, few)
	}
}

type plainItem struct{}

func (plainItem) Lines(int) []string { return []string{"one line", "another"} }

var sgr = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// Hostile text in any channel leaves only styles on the screen.
func TestHostileTextInEveryChannel(t *testing.T) {
	for _, row := range hostileTexts(t) {
		m := hostile(t, row.text)
		for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 50}, {Width: 30, Height: 20}} {
			m.Update(size)
			frame := m.View().Content
			checkFrame(t, m)
			for _, r := range sgr.ReplaceAllString(frame, "") {
				if unicode.IsControl(r) && r != '\n' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
					t.Fatalf("%s: %U reached the screen", row.why, r)
				}
			}
			if strings.Contains(frame, "\x1b[8m") {
				t.Fatalf("%s: hidden text on the screen", row.why)
			}
		}
		if title := m.windowTitle(); strings.IndexFunc(title, unicode.IsControl) >= 0 {
			t.Fatalf("%s: title %q", row.why, title)
		}
	}
}

// hostileTasks returns a list of steps with the text x.
func hostileTasks(t *testing.T, x string) event.TaskList {
	e := steps(t, 1, 3)
	for i := range e.Items {
		e.Items[i].Text = x
	}
	return e
}

type hostileText struct{ why, text string }

// hostileTexts returns the corpus of texts that would affect a terminal.
func hostileTexts(t *testing.T) []hostileText {
	t.Helper()
	raw, err := os.ReadFile("../internal/base/terminal/testdata/escapes.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Bytes string `json:"bytes_b64"`
		Why   string `json:"why"`
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	out := make([]hostileText, len(rows))
	for i, row := range rows {
		data, err := base64.StdEncoding.DecodeString(row.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = hostileText{row.Why, string(data)}
	}
	return out
}

// hostile returns a screen on which x is everywhere.
func hostile(t *testing.T, x string) *Model {
	f := newFake()
	m := New(t.Context(), Options{
		Processor: f, Events: f, VaultName: x, VaultDir: x, Engine: Engine{Provider: x}, Version: x, Screen: Screen{ColorProfile: colorprofile.TrueColor},
		Session: Session{Settings: &fakeSettings{}},
	})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 50})
	m.Update(loadedMsg{Loaded: session.Loaded{Examples: []string{x}, Notices: []string{x}, Draft: x}})
	m.composer.Insert(x)
	m.Deliver(event.Received{Message: event.Inbound{ID: "1", Text: x}}, event.TurnStarted{MessageIDs: []string{"1"}, Provider: x})
	half := len(x) / 2
	m.Deliver(event.TextDelta{Text: x[:half]}, event.TextDelta{Text: x[half:]})
	m.Deliver(event.ToolStarted{ID: "t", Name: x, Target: x}, event.ToolFinished{ID: "t", Name: x, Summary: x},
		event.AgentMessage{Content: x}, event.AgentMessage{Content: "`" + x + "`", IsQuestion: true}, event.Notice{Text: x},
		event.ConversationEnded{ID: "c"}, event.ConversationTitled{ID: "c", Title: x, Summary: x}, event.QuestionDropped{Question: x},
		event.Retrospected{ConversationTitle: x, Content: x}, event.Retry{Attempt: 2, Message: x, Delay: time.Second},
		event.Received{Message: event.Inbound{ID: "2", Text: x}})
	m.View()
	m.Deliver(event.ReasoningDelta{Text: x[:half]}, event.ReasoningDelta{Text: x[half:]},
		event.ToolCallDelta{ID: "w", Name: x, Target: x}, event.ToolStarted{ID: "d", Name: "delegate", Target: x},
		event.Nested{CallID: "d", Event: event.ToolStarted{ID: "n", Name: x, Target: x}},
		event.Nested{CallID: "d", Event: event.ToolFinished{ID: "n", Name: x, Summary: x}},
		event.Nested{CallID: "d", Event: event.Retry{Attempt: 2, Message: x, Delay: time.Second}},
		event.ToolFinished{ID: "d", Name: "delegate", Summary: x, Result: x}, event.Compacted{Summary: x, Before: 9000, After: 900},
		event.ToolStarted{ID: "r", Name: x, Target: x}, event.StateChanged{State: event.StateActing}, hostileTasks(t, x))
	m.View()
	m.Update(keyOf("ctrl+t"))
	m.View()
	m.Deliver(event.TurnStopped{Changed: []string{x}}, event.TurnFailed{Text: x})
	m.hint = x
	return m
}
