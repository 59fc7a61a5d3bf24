package tui

import (
	"context"
	"errors"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
)

// twoVaults lists the vault on the screen, another one, and a missing one.
type twoVaults struct {
	found []string // requested folders
	fail  error
	draft string // the saved draft
}

func (v *twoVaults) options(o *Options) {
	draftsOf(o).save = func(text string) { v.draft = text }
	o.Vaults = session.VaultActions{
		List: func(context.Context) ([]session.Vault, error) {
			return []session.Vault{
				{Name: "Garden notes", Dir: "/notes", Here: true, Last: time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC)},
				{Name: "Work", Dir: "/home/ines/Work", About: "open in Obsidian", Last: time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC)},
				{Name: "Attic\x1b[2J", Dir: "/mnt/usb/Attic", About: "missing"},
			}, nil
		},
		Find: func(dir string) (string, error) {
			v.found = append(v.found, dir)
			return dir, v.fail
		},
	}
}

func TestVaultPicker(t *testing.T) {
	v := &twoVaults{}
	s := newScreen(t, v.options)
	s.typeText("/vault")
	s.key("enter")
	s.wants("Vaults", "● Garden notes", "Work", "open in Obsidian · Nov 20", "/home/ines/Work", "Attic␛[2J", "missing")
	s.typeText("wrk")
	s.lacks("Attic", "● Garden")
}

func TestVaultWhileATurnRuns(t *testing.T) {
	v := &twoVaults{}
	s := newScreen(t, v.options)
	s.ask("hello")
	s.typeText("/vault")
	s.key("enter", "enter")
	s.wants(turnRuns)
	s.key("esc")
	s.typeText("/vault ~/Work")
	s.key("enter")
	s.wants(turnRuns)
	if len(v.found) != 0 || !s.m.dialogs.Empty() {
		t.Errorf("opened %q", v.found)
	}
}

// The chat ends for the other vault, and its draft is saved.
func TestSwitchingVaultKeepsTheDraft(t *testing.T) {
	v := &twoVaults{}
	s := newScreen(t, v.options)
	s.typeText("half a thought")
	s.run(s.m.lists.vault("/home/ines/Work"))
	if s.m.lists.next != "/home/ines/Work" || v.draft != "half a thought" {
		t.Errorf("next %q, draft %q", s.m.lists.next, v.draft)
	}
}

func TestVaultThatCannotBeOpened(t *testing.T) {
	v := &twoVaults{fail: errors.New("there is no folder /home/ines/Wrok")}
	s := newScreen(t, v.options)
	cmd := s.m.lists.vault("~/Wrok")
	s.typeText("go on here")
	s.run(cmd)
	s.wants("there is no folder /home/ines/Wrok", "go on here", "Garden notes")
	if s.m.lists.next != "" || s.quit {
		t.Error("it waits on")
	}
}

// If a turn begins in the meantime, the chat continues.
func TestTurnBeginsMeanwhile(t *testing.T) {
	v := &twoVaults{}
	s := newScreen(t, v.options)
	cmd := s.m.lists.vault("/home/ines/Work")
	s.typeText("stays")
	s.deliver(event.TurnStarted{MessageIDs: []string{"r1"}})
	s.run(cmd)
	s.wants("Garden notes", turnRuns, "stays")
	if s.quit {
		t.Error("it leaves")
	}
}

// In a program: it returns the vault to open next, and the terminal is restored.
func TestRunEndsForAnotherVault(t *testing.T) {
	v := &twoVaults{}
	r := start(t, v.options)
	r.size(80, 24)
	r.waitFor("Ask about your notes")
	r.press("/vault\r")
	r.waitFor("/home/ines/Work")
	r.press("\x1b[B\r") // down, Enter
	if err := r.ended(); err != nil {
		t.Fatal(err)
	}
	if r.next != "/home/ines/Work" {
		t.Errorf("next %q", r.next)
	}
	r.restored()
	<-r.f.closed
}
