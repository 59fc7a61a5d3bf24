package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/tui/loop"

	"chatvault/tui/keys"
)

// A key typed into the dialog reaches the turn and nothing else: no frame, history or draft.
func TestSecretIsNeverDrawn(t *testing.T) {
	t.Parallel()
	const key = "sk-proj-Vq7"
	var drafts []string
	history := &keptPrompts{}
	s := newScreen(t, func(o *Options) {
		draftsOf(o).save = func(text string) { drafts = append(drafts, text) }
		o.PromptHistory = history
	})
	s.asked(secret("r1"))
	look := func() {
		t.Helper()
		for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 40, Height: 15}, {Width: 10, Height: 5}} {
			s.send(size)
			if strings.Contains(s.text(), key[:5]) || strings.Contains(s.m.windowTitle(), key[:5]) {
				t.Fatalf("the key is on the screen:\n%s", s.text())
			}
		}
		s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	}
	for _, r := range key {
		s.typeText(string(r))
		look()
	}
	s.wants("•••••••••••")
	s.key("enter")
	look()
	s.answers(answered{ID: "r1", Answer: event.Answer{Decision: event.Provide, Value: key}})
	s.deliver(event.RequestEnded{ID: "r1", Decision: event.Provide}, event.TurnFinished{})
	look()
	s.send(loop.Do(s.m.saveDraft))
	s.key("up", "up", "up")
	look()
	for _, kept := range append(append(drafts, history.texts...), s.m.composer.Value()) {
		if strings.Contains(kept, key) {
			t.Errorf("the key was kept: %q", kept)
		}
	}
}

// Typing continues in the composer until the keyboard was idle for half a second.
func TestFieldIgnoresTextForTheComposer(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.Requested{Request: secret("r1")})
	for range 5 {
		s.typeText("word ")
		s.now = s.now.Add(300 * time.Millisecond)
	}
	if got := s.m.composer.Value(); got != "word word word word word " {
		t.Errorf("the composer holds %q", got)
	}
	s.later()
	s.typeText("sk-1")
	s.key("enter")
	s.answers(answered{ID: "r1", Answer: event.Answer{Decision: event.Provide, Value: "sk-1"}})
	if got := s.m.composer.Value(); got != "word word word word word " {
		t.Errorf("the composer holds %q after the key", got)
	}
}

func TestASettingIsShownAsItIsTyped(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.asked(event.Request{ID: "r1", Kind: event.RequestSetting, Name: "OLLAMA_HOST", Text: "No address of the server is known."})
	s.wants("A setting is needed: OLLAMA_HOST", "No address of the server is known.")
	s.key("enter")
	s.wants("Nothing entered yet")
	s.send(keys.Paste(" http://box:11434\n"))
	s.wants("http://box:11434")
	s.key("enter")
	s.answers(answered{ID: "r1", Answer: event.Answer{Decision: event.Provide, Value: "http://box:11434"}})
}
