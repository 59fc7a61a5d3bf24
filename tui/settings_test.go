package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/ptytest/golden"
	"chatvault/tui/theme"

	"chatvault/tui/keys"
)

func (s *screen) openedSettings(filter string) {
	s.t.Helper()
	s.typeText("/settings")
	s.key("enter")
	s.typeText(filter)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	f := newFakeSettings()
	s := newScreen(t, f.options, func(o *Options) { o.Theme = "dark" })
	s.send(tea.WindowSizeMsg{Width: 100, Height: 40})
	s.openedSettings("")
	s.wants("Screen", "theme", "yours", "(hidden)", "--model", "The colours")

	s.typeText("mouse") // a switch
	s.key("enter")
	if s.wants("true", "mouse: true, kept"); !s.m.o.Mouse {
		t.Error("the mouse does not count at once")
	}
	s.key("ctrl+u")
	s.typeText("theme") // a choice
	s.key("enter")
	s.wants("● dark", "light")
	s.key("down", "enter")
	if s.m.styles.Name != theme.Light {
		t.Errorf("the theme is %s", s.m.styles.Name)
	}
	s.key("ctrl+u")
	s.typeText("journal") // a number, invalid at first
	s.key("enter")
	s.wants("A number.", "› 30")
	s.key("ctrl+u")
	s.typeText("none")
	s.key("enter")
	s.wants("Must be a whole number from 1 to 36500", "none")
	s.key("ctrl+u")
	s.typeText("7")
	s.key("enter")
	s.wants("journal_days: 7, kept · from the next start")
	s.send(keys.Press("delete")) // the filter is not empty, so the key belongs to the text
	s.key("ctrl+u")
	s.typeText("private")
	s.key("enter")
	s.typeText("Diary/, *.x.md")
	s.key("enter")
	want := []string{"mouse=true yours", "theme=light yours", "journal_days=7 yours", "private=Diary/, *.x.md yours"}
	if fmt.Sprint(f.set) != fmt.Sprint(want) {
		t.Errorf("set %v, want %v", f.set, want)
	}
	s.key("esc")
	if !s.m.dialogs.Empty() {
		t.Error("Esc does not close it")
	}
}

// The list shows where changes are stored, which can be switched, and what takes precedence.
func TestSettingsPlaces(t *testing.T) {
	t.Parallel()
	f := newFakeSettings()
	s := newScreen(t, f.options)
	s.send(tea.WindowSizeMsg{Width: 100, Height: 40})
	s.openedSettings("approval") // its value for this vault takes precedence
	s.wants("changes are for all vaults", "it is set for this vault, and so are changes")
	s.key("enter", "up", "enter")
	s.key("ctrl+u")
	s.typeText("mouse")
	s.key("tab")
	s.wants("changes are for this vault")
	s.key("enter")
	s.key("ctrl+u")
	s.typeText("journal")
	s.wants("it cannot be set for one vault")
	s.key("enter")
	s.key("ctrl+u")
	s.typeText("7")
	s.key("enter")
	s.wants("journal_days cannot be set for one vault")
	s.key("tab", "ctrl+u")
	s.typeText("api_key")
	s.key("enter")
	s.wants("Change api_key in the configuration file")
	s.key("ctrl+u")
	s.send(keys.Press("delete")) // theme, the first
	s.key("down", "down")
	s.wants("the flag --model overrides it in this run")
	want := []string{"approval=off this vault's", "mouse=true this vault's", "theme=– yours"}
	if fmt.Sprint(f.set) != fmt.Sprint(want) {
		t.Errorf("set %v, want %v", f.set, want)
	}
}

// A text of several lines is changed in the configuration file.
func TestSettingsOfSeveralLines(t *testing.T) {
	t.Parallel()
	f := newFakeSettings()
	f.list = append(f.list, session.Setting{Key: "retrospection_prompt", Group: "Conversations", About: "What it is asked then", Kind: config.KindProse, Value: "One.\nTwo.\n", Shown: "One. (2 lines)", Origin: "default"})
	s := newScreen(t, f.options)
	s.send(tea.WindowSizeMsg{Width: 100, Height: 40})
	s.openedSettings("retro")
	s.key("enter")
	s.wants("in the configuration file")
}

// Faults in the configuration are shown when the list opens.
func TestSettingsShowErrors(t *testing.T) {
	t.Parallel()
	f := newFakeSettings()
	f.wrong = []string{"config.toml:3: journal_days: must be from 1"}
	s := newScreen(t, f.options)
	s.send(tea.WindowSizeMsg{Width: 100, Height: 40})
	s.openedSettings("")
	s.wants("config.toml:3: journal_days")
}

func TestGoldenSettings(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"settings":        func(s *screen) { s.openedSettings(""); s.key("down", "down") },
		"settings-narrow": func(s *screen) { s.openedSettings("vault") },
		"settings-wrong": func(s *screen) {
			s.openedSettings("journal")
			s.key("enter")
			s.typeText("x")
			s.key("ctrl+u")
			s.typeText("none")
			s.key("enter")
		},
	}
	for name, scene := range scenes {
		for _, look := range []string{"dark", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
				file := fmt.Sprintf("%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					t.Parallel()
					s := newScreen(t, newFakeSettings().options, func(o *Options) { o.Theme = look })
					s.send(size)
					scene(s)
					view := s.m.View().Content
					if n := strings.Count(view, "\n") + 1; n != size.Height {
						t.Errorf("%d lines", n)
					}
					golden.Check(t, file, view+"\n")
				})
			}
		}
	}
}

// Each choice has a description, and a pending setting shows its current value.
func TestSettingsShowDescriptions(t *testing.T) {
	t.Parallel()
	f := newFakeSettings()
	s := newScreen(t, f.options)
	s.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	s.openedSettings("approval")
	s.key("enter")
	s.wants("nothing waits", "every change")
	s.key("esc")
	s.key("esc")
	s.openedSettings("private")
	s.wants("applies at the next start")
	s.key("enter")
	s.typeText("X/")
	s.key("enter")
	s.key("esc")
	if fmt.Sprint(f.set) != "[private=X/ yours]" {
		t.Errorf("set %v", f.set)
	}
	s.wants("from the next start")
}
