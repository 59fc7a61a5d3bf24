package tui

import (
	"context"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/internal/session"
)

func TestParseCommand(t *testing.T) {
	commands := commandsFor(Options{
		Unfinished:      func(context.Context) ([]session.Unfinished, error) { return nil, nil },
		Retry:           func(context.Context, string) error { return nil },
		Drop:            func(context.Context, string) error { return nil },
		NewConversation: func(context.Context) error { return nil },
		SetGoal:         func(string) (event.Goal, error) { return event.Goal{}, nil },
		ResumeGoal:      func() error { return nil },
		Compact:         func() error { return nil },
		Usage:           func() (a, b event.Totals, err error) { return a, b, nil },
	})
	tests := []struct {
		text, command, words, hint string
	}{
		{"hello", "", "", ""},
		{" /help", "", "", ""}, // a space sends it as it is
		{"/help", "help", "", ""},
		{"/HELP ", "help", "", ""},
		{"/quit", "quit", "", ""},
		{"/goal", "goal", "", ""},
		{"/goal tidy my  recipes", "goal", "tidy my  recipes", ""},
		{"/goal\ntidy my recipes\nand the plums", "goal", "tidy my recipes\nand the plums", ""},
		{"/Goal  drop", "goal", "drop", ""},
		{"/plan\tmove all", "plan", "move all", ""},
		{"/plan", "", "", "/plan TEXT"},
		{"/plan  ", "", "", "needs words"},
		{"/compact", "compact", "", ""},
		{"/compact now", "", "", "takes no words"},
		{"/usage", "cost", "", ""},
		{"/cost", "cost", "", ""},
		{"/hlep", "", "", "Did you mean /help?"},
		{"/qiut", "", "", "Did you mean /quit?"},
		{"/re", "", "", "Did you mean /retry?"},
		{"/gaol", "", "", "Did you mean /goal?"},
		{"/gola tidy", "", "", "Did you mean /goal? To send"},
		{"/xyzzyx", "", "", "no command /xyzzyx"},
		{"/help me", "", "", "takes no words"},
		{"/help\nme", "", "", "takes no words"},
		{"/etc/hosts", "", "", "put a space before it"},
		{"/usr/bin is what", "", "", "put a space before it"},
		{"/", "", "", "put a space before it"},
		{"/notes.md", "", "", "put a space before it"},
	}
	for _, tt := range tests {
		p := parseCommand(tt.text, commands)
		got := ""
		if p.command != nil {
			got = p.command.name
		}
		if got != tt.command || p.words != tt.words || (p.hint == "") != (tt.hint == "") || !strings.Contains(p.hint, tt.hint) {
			t.Errorf("parseCommand(%q) = %q, words %q, hint %q; want %q, words %q, hint with %q", tt.text, got, p.words, p.hint, tt.command, tt.words, tt.hint)
		}
	}
}

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
		o.Retry = func(context.Context, string) error { return nil }
		o.Drop = func(context.Context, string) error { return nil }
		o.NewConversation = func(context.Context) error { return nil }
	})
	for _, c := range s.m.commands {
		if c.name == "quit" || c.run == nil {
			continue
		}
		s.typeText("/" + c.name)
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
	for _, c := range commandsFor(Options{}) {
		switch c.name {
		case "new", "retry", "inbox", "goal", "compact", "cost", "export":
			t.Errorf("/%s is offered", c.name)
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
	for _, want := range []string{"/help", "/stop", "/quit", "Alt+Enter, Ctrl+J", "PgUp", "Ctrl+Z"} {
		if !strings.Contains(all, want) {
			t.Errorf("the help does not list %s", want)
		}
	}
	s.key("esc")
	s.typeText("why?")
	if got := s.m.composer.Value(); got != "why?" {
		t.Errorf("? in a text: %q", got)
	}
}
