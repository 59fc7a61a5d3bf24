package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/ptytest/golden"
	"chatvault/tui/loop"

	"chatvault/tui/keys"
)

func TestModelPicker(t *testing.T) {
	t.Parallel()
	f := newFakeModels()
	s := newScreen(t, f.options, func(o *Options) { o.Theme = "none" })
	s.send(tea.WindowSizeMsg{Width: 80, Height: 30})
	s.send(keys.Press("f2"))
	s.wants("● attic/big", "272k tokens · $3 in, $15 out", "attic/small", "nothing answers at 127.0.0.1:9", "offline engine", "Enter a key for OpenAI…")
	s.typeText("smal")
	s.key("enter")
	if fmt.Sprint(f.used) != "[attic/small]" {
		t.Fatalf("used %v", f.used)
	}
	s.wants("Model: attic/small · kept for this vault")
	if s.m.state.Provider != "attic/small" || !s.m.dialogs.Empty() {
		t.Errorf("the header says %q", s.m.state.Provider)
	}

	s.typeText("/model offline")
	s.key("enter")
	if !s.m.offline || s.m.state.Provider != "offline" {
		t.Errorf("%q is not the engine", s.m.state.Provider)
	}

	f.refuse = errors.New("no other model can be used: offline is set (flag --offline)")
	s.typeText("/model attic/big")
	s.key("enter")
	s.wants("no other model can be used")
	if s.m.state.Provider != "offline" {
		t.Errorf("a refused model is shown: %q", s.m.state.Provider)
	}
}

// Enter shows the full reason, and the list stays open.
func TestModelPickerFailure(t *testing.T) {
	t.Parallel()
	f := newFakeModels()
	s := newScreen(t, f.options)
	s.send(tea.WindowSizeMsg{Width: 80, Height: 30})
	s.send(keys.Press("f2"))
	s.typeText("cellar")
	s.key("enter")
	if s.m.dialogs.Empty() || len(f.used) > 0 {
		t.Errorf("a source that failed was taken: %v", f.used)
	}
	s.wants("cellar: nothing answers")
}

// The running turn keeps its model; the header changes when the new model answers.
func TestModelWhileATurnRuns(t *testing.T) {
	t.Parallel()
	f := newFakeModels()
	s := newScreen(t, f.options)
	s.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	s.ask("hello")
	s.deliver(event.StateChanged{State: event.StateThinking})
	s.typeText("/model attic/small")
	s.key("enter")
	s.wants("From the next turn on: attic/small. This one continues with attic/big")
	if s.m.state.Provider != "attic/big" {
		t.Errorf("the header says %q while the turn runs", s.m.state.Provider)
	}
	s.deliver(event.TurnFinished{})
	s.send(tickMsg{})
	if s.m.state.Provider != "attic/small" {
		t.Errorf("the header says %q afterwards", s.m.state.Provider)
	}
	// A local server found late no longer matters.
	s.send(loop.Do(func() tea.Cmd { return s.m.providerFound(provider.ModelUsed{Name: "ollama/late"}) }))
	if s.m.state.Provider != "attic/small" {
		t.Errorf("the header says %q, which was found late", s.m.state.Provider)
	}
}

// Late answers do not move the mark.
func TestModelsThatComeLate(t *testing.T) {
	t.Parallel()
	f := newFakeModels()
	s := newScreen(t, f.options)
	s.send(tea.WindowSizeMsg{Width: 80, Height: 30})
	asks := s.m.lists.show(session.ListModels(f), "") // answered later
	s.m.dirty = true
	s.wants("asking for its models…")
	s.key("end")
	s.key("up") // the embedded engine
	late := make([]provider.ModelChoice, 30)
	for i := range late {
		late[i].Name = fmt.Sprintf("cellar/m%d", i)
	}
	f.lists, f.errs = map[string][]provider.ModelChoice{"cellar": late}, map[string]error{"attic": errors.New("gone")}
	s.run(asks)
	s.key("enter")
	if fmt.Sprint(f.used) != "[offline]" {
		t.Errorf("took %v", f.used)
	}
	s.m.lists.show(session.ListModels(f), "")
	s.run(asks) // for the previous list
	s.m.dirty = true
	if strings.Contains(s.m.View().Content, "cellar/m1") {
		t.Error("an answer to the list before is shown")
	}
}

// A key is typed masked and its provider's models are listed immediately; after a wrong key it asks again. No screen
// shows the key.
func TestModelKey(t *testing.T) {
	t.Parallel()
	const key = "sk-0123456789abcdef"
	f := newFakeModels()
	s := newScreen(t, f.options)
	s.send(tea.WindowSizeMsg{Width: 80, Height: 30})
	s.send(keys.Press("f2"))
	s.typeText("key open")
	s.key("enter")
	s.wants("Key for OpenAI", "It is sent to https://api.openai.com")
	s.typeText("no key")
	s.key("enter")
	s.wants("Key for OpenAI", "it holds a space")
	s.typeText(key)
	if strings.Contains(s.m.View().Content, "0123") {
		t.Error("the key is on the screen")
	}
	s.key("enter")
	if fmt.Sprint(f.keys) != "[openai="+key+"]" {
		t.Fatalf("%d keys were given", len(f.keys))
	}
	s.wants("openai/fresh", "stored in the keyring", "Enter another key for OpenAI…")
	s.key("enter")
	if fmt.Sprint(f.used) != "[openai/fresh]" {
		t.Errorf("used %v", f.used)
	}
}

func TestNoModelsNoCommand(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.send(keys.Press("f2"))
	if !s.m.dialogs.Empty() || strings.Contains(s.m.View().Content, "/model") {
		t.Errorf("models are offered where there are none:\n%s", s.m.View().Content)
	}
}

func TestGoldenModels(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"models":       func(s *screen) { s.send(keys.Press("f2")) },
		"models-first": func(*screen) {},
		"models-engine": func(s *screen) {
			s.typeText("/model offline")
			s.key("enter")
			s.m.hint = ""
		},
	}
	for name, scene := range scenes {
		for _, look := range []string{"dark", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
				file := fmt.Sprintf("%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					t.Parallel()
					s := newScreen(t, newFakeModels().options, func(o *Options) {
						o.Theme, o.Version = look, "0.1.0"
						o.Load = func(context.Context) (session.Loaded, error) {
							return session.Loaded{Examples: []string{"What do I know about Nectarine tart?", "Which tasks are still open?", "Which notes are tagged #recipe?"}}, nil
						}
					})
					s.send(size)
					scene(s)
					s.m.dirty = true
					golden.Check(t, file, s.m.View().Content+"\n")
				})
			}
		}
	}
}

// /effort sets the reasoning effort, which the header shows.
func TestEffortOnTheScreen(t *testing.T) {
	t.Parallel()
	f := newFakeModels()
	f.efforts = []string{"none", "low", "xhigh"}
	s := newScreen(t, f.options, func(o *Options) { o.Theme = "none" })
	s.send(tea.WindowSizeMsg{Width: 80, Height: 30})
	s.wants("attic/big")
	s.slash("/effort xhigh")
	s.wants("It reasons with effort xhigh.", "attic/big · effort xhigh")
	if f.effort != "xhigh" || len(f.used) > 0 {
		t.Errorf("effort %q, used %v", f.effort, f.used)
	}
}
