package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/tui/loop"

	"chatvault/tui/keys"
)

// twoVaults are the vaults of a test: the one on the screen, another, and one that is gone.
type twoVaults struct {
	opened []string // folders that were asked for
	taken  []bool   // what the other chat was told
	fail   error
	wait   chan struct{} // Open waits for it; nil: it does not
	other  *fakeProcessor
	drafts map[string]string // what was saved, by vault
	goesTo func(*Options)    // of the other chat
}

func (v *twoVaults) options(o *Options) {
	v.other = newFake()
	v.drafts = map[string]string{}
	draftsOf(o).save = func(text string) { v.drafts["Garden notes"] = text }
	o.Vaults = Vaults{
		List: func(context.Context) ([]session.Vault, error) {
			return []session.Vault{
				{Name: "Garden notes", Dir: "/notes", Here: true, Last: time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC)},
				{Name: "Work", Dir: "/home/ines/Work", About: "open in Obsidian", Last: time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC)},
				{Name: "Attic\x1b[2J", Dir: "/mnt/usb/Attic", About: "missing", Missing: true},
			}, nil
		},
		Open: func(ctx context.Context, dir string) (Options, error) {
			v.opened = append(v.opened, dir)
			if v.wait != nil {
				select {
				case <-v.wait:
				case <-ctx.Done():
					return Options{}, ctx.Err()
				}
			}
			if v.fail != nil {
				return Options{}, v.fail
			}
			to := Options{
				Processor: v.other, Events: v.other, VaultName: "Work", Engine: Engine{Provider: "offline engine"}, Now: o.Now, Screen: Screen{ColorProfile: o.ColorProfile},
				Vaults:  Vaults{Taken: func(shown bool) { v.taken = append(v.taken, shown) }},
				Writing: Writing{Drafts: &fakeDrafts{save: func(text string) { v.drafts["Work"] = text }}},
			}
			if v.goesTo != nil {
				v.goesTo(&to)
			}
			return to, nil
		},
	}
}

// guarded makes the screen's program of the guard, as a run does.
func guarded(s *screen) *guard {
	ctx, end := context.WithCancel(context.Background())
	s.t.Cleanup(end)
	return &guard{ctx: ctx, end: end, Model: s.m}
}

// through sends a message through the guard and runs what it brings.
func through(s *screen, g *guard, msg tea.Msg) {
	_, cmd := g.Update(msg)
	s.m = g.Model
	runThrough(s, g, cmd)
}

func runThrough(s *screen, g *guard, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	got := make(chan tea.Msg, 1)
	go func() { got <- cmd() }()
	select {
	case msg := <-got:
		switch msg := msg.(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				runThrough(s, g, c)
			}
		default:
			through(s, g, msg)
		}
	case <-time.After(30 * time.Second):
		s.t.Error("a command does not end")
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
	s.key("esc")
	s.typeText("/vault")
	s.key("enter", "enter")
	s.wants("That vault is already open")
	s.typeText("/vault")
	s.key("enter", "up", "enter")
	s.wants("Its folder was not found: /mnt/usb/Attic")
	if len(v.opened) != 0 {
		t.Errorf("opened %q", v.opened)
	}
}

func TestVaultWhileATurnRuns(t *testing.T) {
	v := &twoVaults{}
	s := newScreen(t, v.options)
	s.ask("hello")
	for _, command := range []string{"/vault", "/vault ~/Work"} {
		s.typeText(command)
		s.key("enter")
		s.wants(turnRuns)
	}
	if len(v.opened) != 0 || !s.m.dialogs.Empty() {
		t.Errorf("opened %q", v.opened)
	}
}

// The other chat takes the place of the one on the screen, and the draft stays with its vault.
func TestGoOver(t *testing.T) {
	v := &twoVaults{goesTo: func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) {
			return session.Loaded{Draft: "kept there ", History: []session.HistoryItem{{Role: session.HistoryAssistant, Content: "What was said there."}}}, nil
		}
	}}
	s := newScreen(t, v.options)
	g := guarded(s)
	s.send(loop.Do(func() tea.Cmd { return s.m.showVaults([]session.Vault{{Name: "Work", Dir: "/home/ines/Work"}}, nil) }))
	s.key("x") // narrows, finds nothing
	s.key("esc")
	through(s, g, keys.Typed("half a thou"))
	through(s, g, keys.Press("ctrl+u"))
	through(s, g, keys.Typed("half a thought"))
	_, cmd := g.Update(loop.Do(func() tea.Cmd { return g.openVault(session.Vault{Name: "Work", Dir: "/home/ines/Work"}, false) }))
	s.wants("Opening Work…")
	through(s, g, keys.Typed("ty"))
	through(s, g, keys.Typed("ped ahead"))
	s.lacks("typed ahead")
	runThrough(s, g, cmd)
	s.wants("Work", "What was said there.", "kept there typed ahead")
	s.lacks("Garden notes", "half a thought")
	if v.drafts["Garden notes"] != "half a thought" || len(v.taken) != 1 || !v.taken[0] || v.opened[0] != "/home/ines/Work" {
		t.Errorf("drafts %q, taken %v, opened %q", v.drafts, v.taken, v.opened)
	}
	if s.m.o.Now == nil || s.m.width != 80 {
		t.Error("the terminal is not what it was")
	}
	// What the chat before still brings is nobody's.
	through(s, g, sentMsg{0, hintMsg{"from the chat before"}})
	s.lacks("from the chat before")
	through(s, g, sentMsg{1, hintMsg{"from this chat"}})
	s.wants("from this chat")
	select {
	case <-s.f.closed:
	default:
		t.Error("nobody ended the listening to the chat before")
	}
}

func TestVaultThatCannotBeOpened(t *testing.T) {
	v := &twoVaults{fail: errors.New("there is no folder /home/ines/Wrok")}
	s := newScreen(t, v.options)
	g := guarded(s)
	_, cmd := g.Update(loop.Do(func() tea.Cmd { return g.openVault(session.Vault{Name: "~/Wrok", Dir: "~/Wrok"}, false) }))
	through(s, g, keys.Typed("go on here"))
	runThrough(s, g, cmd)
	s.wants("There is no folder /home/ines/Wrok", "go on here", "Garden notes")
	if s.m.held.opening != nil || g.chat != 0 {
		t.Error("it waits on")
	}
}

// Esc stays; what was opened meanwhile is closed again.
func TestStay(t *testing.T) {
	v := &twoVaults{}
	s := newScreen(t, v.options)
	g := guarded(s)
	_, cmd := g.Update(loop.Do(func() tea.Cmd { return g.openVault(session.Vault{Name: "Work", Dir: "/home/ines/Work"}, false) }))
	through(s, g, keys.Typed("here"))
	through(s, g, keys.Press("esc"))
	s.wants("here")
	s.lacks("Opening")
	v.wait = make(chan struct{})
	close(v.wait)
	runThrough(s, g, cmd)
	s.wants("Garden notes", "here")
	// Open may have ended before it heard of it.
	through(s, g, vaultOpenedMsg{options: Options{Vaults: Vaults{Taken: func(shown bool) { v.taken = append(v.taken, shown) }}}, opening: &opening{}})
	if len(v.taken) == 0 || v.taken[len(v.taken)-1] {
		t.Errorf("taken %v", v.taken)
	}
}

// A turn that begins while the other vault is opened keeps the screen.
func TestTurnBeginsMeanwhile(t *testing.T) {
	v := &twoVaults{}
	s := newScreen(t, v.options)
	g := guarded(s)
	_, cmd := g.Update(loop.Do(func() tea.Cmd { return g.openVault(session.Vault{Name: "Work", Dir: "/home/ines/Work"}, false) }))
	s.deliver(event.TurnStarted{MessageIDs: []string{"r1"}})
	runThrough(s, g, cmd)
	s.wants("Garden notes", turnRuns)
	if len(v.taken) != 1 || v.taken[0] {
		t.Errorf("taken %v", v.taken)
	}
}

func TestAddressed(t *testing.T) {
	for _, msg := range []tea.Msg{nil, tea.QuitMsg{}, tea.WindowSizeMsg{}, tea.KeyPressMsg{}, faultMsg{}} {
		if _, is := addressed(3, msg).(sentMsg); is {
			t.Errorf("%T is not for the program any more", msg)
		}
	}
	for _, msg := range []tea.Msg{eventsMsg{}, switchVaultMsg{}, hintMsg{}} {
		if sent, is := addressed(3, msg).(sentMsg); !is || sent.chat != 3 {
			t.Errorf("%T is for whichever chat is there", msg)
		}
	}
}

// In a program: there and back, nothing of the terminal is given back or asked anew.
func TestRunGoesOverAndBack(t *testing.T) {
	v := &twoVaults{}
	back := newFake()
	v.goesTo = func(o *Options) {
		o.Vaults = Vaults{
			List: func(context.Context) ([]session.Vault, error) { return nil, nil },
			Open: func(context.Context, string) (Options, error) {
				return Options{Processor: back, Events: back, VaultName: "Garden again", Engine: Engine{Provider: "offline engine"}, Screen: Screen{ColorProfile: colorprofile.ANSI256}}, nil
			},
		}
	}
	r := start(t, v.options)
	r.size(80, 24)
	r.waitFor("Ask about your notes")
	r.press("/vault\r")
	r.waitFor("/home/ines/Work")
	r.press("\x1b[B\r") // down, Enter
	r.press("ahead")
	r.waitFor("Work")
	r.waitFor("ahead")
	r.press("\x15/vault /notes\r")
	r.waitFor("Garden again")
	r.press("\x04")
	if err := r.ended(); err != nil {
		t.Fatal(err)
	}
	out := r.out.String()
	if n := strings.Count(out, ansi.SetModeAltScreenSaveCursor); n != 1 {
		t.Errorf("the alternate screen was entered %d times", n)
	}
	if strings.Count(out, ansi.ResetModeAltScreenSaveCursor) != 1 {
		t.Error("it was left in between")
	}
	r.restored()
	for name, f := range map[string]*fakeProcessor{"first": r.f, "second": v.other, "third": back} {
		select {
		case <-f.closed:
		case <-time.After(30 * time.Second):
			t.Errorf("the listening to the %s was not ended", name)
		}
	}
}
