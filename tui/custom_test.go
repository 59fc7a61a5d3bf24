package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
)

// vaultCommands is a vault whose custom commands a test changes.
type vaultCommands struct {
	session.Custom
	err   error
	asked int
}

func (v *vaultCommands) options(o *Options) {
	o.Custom = func(context.Context) (session.Custom, error) { v.asked++; return v.Custom, v.err }
}

func needy(words string) (string, error) {
	if words == "" {
		return "", errors.New("/weekly needs words after it: /weekly TOPIC")
	}
	return "What of " + words + "?", nil
}

// sendText types a text with a trailing space, which closes the completion, and sends it.
func (s *screen) sendText(text string) {
	s.typeText(text + " ")
	s.key("enter")
}

func TestACustomCommandIsSentAsItsText(t *testing.T) {
	v := &vaultCommands{Custom: session.Custom{Commands: []session.Command{{Name: "weekly", Args: "TOPIC", Does: "Sum up", Needs: true, Expand: needy}}}}
	s := newScreen(t, v.options)
	s.sendText("/weekly plums  and jam")
	s.wants("What of plums  and jam?")
	if len(s.f.sent) != 1 || s.f.sent[0].Text != "What of plums  and jam?" {
		t.Fatalf("sent %+v", s.f.sent)
	}
	if !s.m.composer.Empty() {
		t.Errorf("in the composer: %q", s.m.composer.Value())
	}
	s.key("up")
	if got := strings.TrimSpace(s.m.composer.Value()); got != "/weekly plums  and jam" {
		t.Errorf("in the history: %q", got)
	}
}

// The fault of a command's file is shown when its name is typed.
func TestBrokenCommandIsReported(t *testing.T) {
	v := &vaultCommands{Custom: session.Custom{FaultOf: map[string]string{"bad": "bad.md is no command: it has no text."}}}
	s := newScreen(t, v.options)
	s.sendText("/bad")
	s.wants("bad.md is no command: it has no text.", "/bad")
	s.lacks("There is no command /bad")
	s.m.composer.Clear()
	s.sendText("/bat")
	s.wants("There is no command /bat")
	if len(s.f.sent) > 0 {
		t.Errorf("sent %+v", s.f.sent)
	}
}

// The files are reloaded when the user returns to the terminal.
func TestCustomCommandsAreReloaded(t *testing.T) {
	v := &vaultCommands{}
	s := newScreen(t, v.options)
	s.sendText("/weekly plums")
	s.wants("There is no command /weekly")
	v.Commands = []session.Command{{Name: "weekly", Args: "TOPIC", Does: "Sum up", Needs: true, Expand: needy}}
	s.send(tea.FocusMsg{})
	s.key("enter")
	v.Commands[0].Expand = func(words string) (string, error) { return "Now of " + words, nil }
	s.send(tea.FocusMsg{})
	s.sendText("/WEEKLY jam")
	if len(s.f.sent) != 2 || s.f.sent[0].Text != "What of plums?" || s.f.sent[1].Text != "Now of jam" {
		t.Fatalf("sent %+v", s.f.sent)
	}
	v.Commands = nil
	s.send(tea.FocusMsg{})
	s.sendText("/weekly more")
	if len(s.f.sent) != 2 {
		t.Error("a command that is gone was sent")
	}
}

// A new file is offered as soon as a slash is typed.
func TestNewCustomCommandsAreOffered(t *testing.T) {
	v := &vaultCommands{}
	s := newScreen(t, v.options)
	v.Commands = []session.Command{{Name: "weekly", Does: "Sum up the week", Expand: echo}}
	s.typeText("/")
	s.typeText("w")
	s.wants("Sum up the week")
}

// The help shows the current commands, and descriptions are sanitized.
func TestCustomCommandsInTheHelp(t *testing.T) {
	v := &vaultCommands{}
	s := newScreen(t, v.options)
	v.Commands = []session.Command{{Name: "weekly", Does: "Sum\x1b[31m up\u202e the week\nand more", Expand: echo}}
	s.send(tea.FocusMsg{})
	s.key("f1")
	seen := ""
	for range 20 {
		seen += s.m.View().Content
		s.key("down", "down", "down", "down", "down")
	}
	if !strings.Contains(seen, "Commands of this vault") || !strings.Contains(seen, "/weekly") {
		t.Errorf("the help does not show them:\n%s", seen)
	}
	if strings.Contains(seen, "\x1b[31m") || strings.Contains(seen, "\u202e") {
		t.Error("a description draws on the screen")
	}
	s.key("esc")
	s.key("ctrl+p")
	s.typeText("weekly")
	if got := s.m.View().Content; strings.Contains(got, "\x1b[31m") || strings.Contains(got, "\u202e") {
		t.Error("a description draws in the palette")
	}
}

// Tab queues a custom command for the next turn, like any message.
func TestCustomCommandsCanBeHeld(t *testing.T) {
	v := &vaultCommands{Custom: session.Custom{Commands: []session.Command{{Name: "weekly", Does: "Sum up", Expand: echo}}}}
	s := newScreen(t, v.options)
	s.ask("x")
	s.typeText("/weekly plums ")
	s.key("tab")
	s.wants("Expanded: plums", "→ next turn")
	s.sendText("/weekly jam")
	if n := len(s.f.sent); n != 3 || !s.f.sent[1].Hold || s.f.sent[2].Hold {
		t.Errorf("sent %+v", s.f.sent)
	}
}

func TestCustomCommandReportsMissingArguments(t *testing.T) {
	v := &vaultCommands{Custom: session.Custom{Commands: []session.Command{{Name: "weekly", Args: "TOPIC", Does: "Sum up", Needs: true, Expand: needy}}}}
	s := newScreen(t, v.options)
	s.sendText("/weekly")
	s.wants("/weekly needs words after it")
	if len(s.f.sent) != 0 || !strings.HasPrefix(s.m.composer.Value(), "/weekly") {
		t.Errorf("sent %v, in the composer %q", s.f.sent, s.m.composer.Value())
	}
}

// A fault in a file is shown once, and other commands remain, also if the folder cannot be read.
func TestCustomCommandFaultsAreShownOnce(t *testing.T) {
	v := &vaultCommands{Custom: session.Custom{
		Commands: []session.Command{{Name: "weekly", Does: "Sum up", Expand: echo}},
		Faults:   []string{"bad.md is no command: it has no text."},
	}}
	s := newScreen(t, v.options)
	s.wants("bad.md is no command: it has no text.")
	s.send(tea.FocusMsg{})
	if n := strings.Count(s.text(), "bad.md is no command"); n != 1 {
		t.Errorf("told %d times", n)
	}
	v.Commands, v.Faults, v.err = nil, nil, errors.New("no permission")
	s.send(tea.FocusMsg{})
	s.key("ctrl+p")
	s.wants("/weekly")
	s.key("esc")
	s.wants("could not be read: no permission")
}

// Built-in commands take precedence.
func TestBuiltInCommandsTakePrecedence(t *testing.T) {
	v := &vaultCommands{Custom: session.Custom{Commands: []session.Command{{Name: "stop", Does: "Hidden", Expand: echo}}}}
	s := newScreen(t, v.options)
	s.sendText("/stop")
	if len(s.f.sent) != 0 {
		t.Errorf("sent %v", s.f.sent)
	}
}

func TestPaletteRuns(t *testing.T) {
	s := newScreen(t, paletteOptions)
	s.send(tea.WindowSizeMsg{Width: 80, Height: 30})
	s.key("ctrl+p")
	s.wants("/weekly TOPIC [DAYS]", "/inbox-zero", "/help")
	s.typeText("compct") // scattered letters
	s.wants("/compact")
	s.lacks("/help")
	s.key("esc")
	s.lacks("/compact")

	// A command that requires words is inserted before the text.
	s.typeText("my plums")
	s.key("ctrl+p")
	s.typeText("weekly")
	s.key("enter")
	if got := s.m.composer.Value(); got != "/weekly my plums" {
		t.Errorf("in the composer: %q", got)
	}
	s.m.composer.Clear()

	s.key("ctrl+p")
	s.typeText("inbox-z")
	s.key("enter")
	if len(s.f.sent) != 1 || s.f.sent[0].Text != "Expanded: " {
		t.Fatalf("sent %+v", s.f.sent)
	}
	// Actions without a command.
	s.key("ctrl+p")
	s.typeText("redraw")
	s.wants("Ctrl+L")
	s.key("enter")
	s.lacks("Commands")
}

// Letters go to the palette even if there is text in the composer.
func TestPaletteKeepsTheDraft(t *testing.T) {
	s := newScreen(t)
	s.typeText("a draft")
	s.key("ctrl+p")
	s.typeText("xyz")
	s.wants("Nothing matches")
	s.key("esc")
	if got := s.m.composer.Value(); got != "a draft" {
		t.Errorf("the draft is %q", got)
	}
}

func TestExportShowsThePath(t *testing.T) {
	var asked []string
	s := newScreen(t, func(o *Options) {
		conversationOf(o).export = func(_ context.Context, file string) (string, error) {
			asked = append(asked, file)
			if file == "there.md" {
				return "", errors.New("there.md is there already and was left as it is")
			}
			return "/home/ann/Talk.md", nil
		}
	})
	s.sendText("/export")
	s.wants("The conversation is in /home/ann/Talk.md.")
	s.sendText(`/export "my talk.json"`)
	s.sendText("/export there.md")
	s.wants("Not exported: there.md is there already")
	if got := strings.Join(asked, "|"); got != "|my talk.json|there.md" {
		t.Errorf("asked for %q", got)
	}
}
