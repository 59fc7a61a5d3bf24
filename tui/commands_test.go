package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestAnUnknownCommandStaysInTheComposer(t *testing.T) {
	s := newScreen(t)
	s.typeText("/hlep")
	s.key("enter")
	s.wants("Did you mean /help?", "› /hlep")
	if len(s.f.sent) != 0 {
		t.Error("it was sent")
	}
}

func TestCommandsCostNoModelCall(t *testing.T) {
	s := newScreen(t, func(o *Options) {
		inboxOf(o).retry = func(context.Context, string) error { return nil }
		inboxOf(o).drop = func(context.Context, string) error { return nil }
		conversationOf(o).begin = func(context.Context) error { return nil }
	})
	for _, c := range s.m.commands {
		if c.Name == "quit" || c.Needs {
			continue
		}
		s.typeText("/" + c.Name)
		s.key("enter")
		if !s.m.dialogs.Empty() {
			s.key("esc")
		}
	}
	if len(s.f.sent) != 0 {
		t.Errorf("sent %d messages", len(s.f.sent))
	}
	s.wants("New conversation")
	s.typeText("/quit")
	s.key("enter")
	if !s.quit {
		t.Error("/quit does not leave")
	}
}

func TestCommandsWithoutMeansAreNotOffered(t *testing.T) {
	for _, c := range New(t.Context(), Options{}).builtIn() {
		switch c.Name {
		case "new", "retry", "inbox", "goal", "compact", "cost", "export":
			t.Errorf("/%s is offered", c.Name)
		}
	}
}

func TestHelpListsKeysAndCommands(t *testing.T) {
	s := newScreen(t)
	s.key("?")
	s.wants("Chat", "Enter", "Esc")
	all := ""
	for range 10 {
		all += s.text()
		s.key("down", "down", "down", "down", "down")
	}
	for _, want := range []string{"/help", "/stop", "/quit", "Ctrl+J", "PgUp", "Ctrl+Z"} {
		if !strings.Contains(all, want) {
			t.Errorf("the help does not list %s", want)
		}
	}
	if strings.Contains(all, "Shift+Enter") {
		t.Error("the help lists Shift+Enter in a terminal that does not tell it")
	}
	s.key("esc")
	s.send(tea.KeyboardEnhancementsMsg{Flags: 1})
	if help := fmt.Sprint(s.m.help()); !strings.Contains(help, "Shift+Enter, Ctrl+J") {
		t.Errorf("the help of a terminal that tells Shift+Enter: %s", help)
	}
	s.typeText("why?")
	if got := s.m.composer.Value(); got != "why?" {
		t.Errorf("? in a text: %q", got)
	}
}
