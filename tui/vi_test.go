package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/ptytest/golden"
	"chatvault/tui/theme"
)

func viKeys(o *Options) { o.KeyStyle = "vi" }

// vi types keys as a terminal sends them, one by one.
func (s *screen) vi(typed string) {
	for _, r := range typed {
		s.typeText(string(r))
	}
}

func (s *screen) shape() tea.CursorShape {
	s.t.Helper()
	v := s.m.View()
	if v.Cursor == nil {
		s.t.Fatal("no cursor")
	}
	return v.Cursor.Shape
}

func TestViInTheComposer(t *testing.T) {
	s := newScreen(t, viKeys, func(o *Options) {
		copyingOf(o).put = func(context.Context, string) (session.Copied, error) { return session.Copied{By: "xclip"}, nil }
	})
	s.wants("insert")
	if s.shape() != tea.CursorBar {
		t.Error("no bar while inserting")
	}
	s.vi("one two? three")
	s.key("esc")
	s.wants("normal")
	if s.shape() != tea.CursorBlock {
		t.Error("no block in normal mode")
	}
	s.vi("0d")
	s.wants("d · normal")
	if s.shape() != tea.CursorUnderline {
		t.Error("no line below while an operator waits")
	}
	s.vi("w")
	s.written("two? three")
	s.vi("u")
	s.written("one two? three")
	s.key("ctrl+r")
	s.written("two? three")
	s.vi("ve")
	s.wants("visual")
	s.vi("cTwo")
	s.key("esc")
	s.written("Two? three")
	s.vi("/three")
	s.wants("/three · normal")
	s.key("enter") // ends the search and sends nothing
	s.vi("x")
	s.written("Two? hree")
	s.vi(`"+yy`)
	s.wants("Copied: the text")
	if len(s.f.sent) > 0 {
		t.Fatal("sent")
	}
	s.key("enter")
	if len(s.f.sent) != 1 || s.f.sent[0].Text != "Two? hree" {
		t.Fatalf("sent %+v", s.f.sent)
	}
	s.key("up") // history
	s.written("Two? hree")
	s.vi("ccdraft")
	s.key("alt+a") // Esc and a in one read
	s.vi("!")
	s.written("draft!")
}

// Pastes stay whole, also in registers, and what is offered is for insert mode.
func TestViAndPastes(t *testing.T) {
	s := newScreen(t, viKeys, func(o *Options) { completingOf(o) })
	long := strings.Repeat("line\n", 30)
	s.vi("a ")
	s.pastes(long)
	s.key("esc")
	s.wants("[Pasted 30 lines]")
	s.vi("yyp")
	if got := s.m.composer.Value(); got != "a "+long+"\na "+long {
		t.Errorf("%q", got)
	}
	s.key("ctrl+x")
	s.lacks("[Pasted")
	s.vi("u")
	s.wants("[Pasted 30 lines]")
	s.vi("u")
	if got := s.m.composer.Value(); got != "a "+long {
		t.Errorf("undone: %q", got)
	}
	s.vi("x")
	s.key("ctrl+c")
	s.vi("p") // of a text that is gone
	if got := s.m.composer.Value(); !strings.Contains(got, long) && got != "a" {
		t.Errorf("%q", got)
	}
	s.key("ctrl+c", "esc")
	s.vi("i/he")
	s.wants("/help")
	s.key("esc", "esc")
	s.lacks("/help ")
	s.vi("0D")
	s.written("")
}

// An undone paste leaves the cursor where it was.
func TestViUndoesAPaste(t *testing.T) {
	s := newScreen(t, viKeys)
	s.vi("one two")
	s.key("esc")
	s.vi("b")
	s.pastes("pasted ")
	s.vi("ux")
	s.written("one wo")
}

// Esc stops a turn at once in every mode, and leaves the mode.
func TestViEscStops(t *testing.T) {
	for _, typed := range []string{"", "text", "text\x1b", "text\x1bv", "text\x1bd"} {
		s := newScreen(t, viKeys)
		for _, r := range typed {
			if r == 0x1b {
				s.key("esc")
			} else {
				s.vi(string(r))
			}
		}
		s.vi("")
		s.m.composer.Escape()
		s.vi("i")
		s.m.composer.SetValue("")
		s.ask("hello")
		for _, r := range typed {
			if r != 0x1b {
				s.vi(string(r))
			}
		}
		s.key("esc")
		if s.f.stops != 1 {
			t.Errorf("%q: %d stops", typed, s.f.stops)
		}
		s.wants("normal")
	}
}

func TestViInTheTranscript(t *testing.T) {
	long := strings.Repeat("Some words to fill the screen with.\n\n", 20)
	copied := ""
	s := newScreen(t, viKeys, talked("Plums are **ripe** in August.", long, "Nectarines, and plums again."), func(o *Options) {
		copyingOf(o).put = func(_ context.Context, text string) (session.Copied, error) {
			copied = text
			return session.Copied{By: "xclip"}, nil
		}
	})
	s.key("esc")
	s.wants("Nectarines, and plums again.")
	s.vi("gg")
	s.wants("Plums are ripe")
	s.vi("jj")
	s.key("ctrl+d", "ctrl+f", "ctrl+b", "ctrl+u")
	s.vi("kk")
	s.wants("Plums are ripe")
	s.vi("G")
	s.wants("Nectarines, and plums again.")
	s.vi("vky")
	if copied != "question 2\n\nNectarines, and plums again." {
		t.Errorf("copied %q", copied)
	}
	s.vi("vggy")
	if n := strings.Count(copied, "question"); n != 3 {
		t.Errorf("%d messages of 3 were copied", n)
	}
	s.vi("vG")
	s.key("esc")
	s.vi("/plums")
	s.wants("Find", "2 of 2")
	s.key("enter")
	s.vi("n")
	s.wants("1 of 2", "Plums are ripe")
	s.vi("N")
	s.wants("2 of 2")
	if v := s.m.View(); v.Cursor != nil {
		t.Error("a cursor where nothing is typed")
	}
	s.wants("n N move")
	s.vi("ihello")
	s.written("hello")
	s.lacks("Find")
	s.key("esc")
	s.vi("dd?plums")
	s.key("enter")
	s.vi("n")
	s.wants("1 of 2")
}

// The setting counts at once, and the keys of emacs return with their text.
func TestViAtOnce(t *testing.T) {
	s := newScreen(t)
	s.lacks("insert")
	value := "vi"
	change := &session.SettingChange{Typed: &value}
	change.Key = "keys"
	s.typeText("text")
	s.m.settingCounts(change)
	s.m.dirty = true
	s.key("esc")
	s.vi("x")
	s.written("tex")
	value = "emacs"
	s.m.settingCounts(change)
	s.vi("x")
	s.written("texx")
}

func TestGoldenVi(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"vi-insert": func(s *screen) { s.vi("two lines") },
		"vi-normal": func(s *screen) { s.vi("two lines"); s.key("ctrl+j"); s.vi("of text"); s.key("esc"); s.vi("2d") },
		"vi-visual": func(s *screen) { s.vi("two lines"); s.key("ctrl+j"); s.vi("of text"); s.key("esc"); s.vi("vgg") },
		"vi-select": func(s *screen) { s.key("esc"); s.vi("vk") },
	}
	for name, scene := range scenes {
		for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}} {
			file := fmt.Sprintf("%s-none-%d.golden", name, size.Width)
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				s := newScreen(t, viKeys, talked("Plums are ripe in August."), func(o *Options) { o.Theme = "none" })
				s.send(size)
				scene(s)
				v := s.m.View()
				drawn := v.Content + "\n"
				if v.Cursor != nil {
					drawn += fmt.Sprintf("cursor at %d,%d, shape %d\n", v.Cursor.X, v.Cursor.Y, v.Cursor.Shape)
				}
				golden.Check(t, file, drawn)
			})
		}
	}
}

// In every state there is at most one cursor, where typed text goes.
func TestOneCursor(t *testing.T) {
	settings := func(o *Options) { settingsOf(o) }
	for name, reach := range map[string]func(s *screen){
		"idle":       func(*screen) {},
		"draft":      func(s *screen) { s.typeText("draft") },
		"find":       func(s *screen) { s.typeText("draft"); s.key("ctrl+f"); s.typeText("x") },
		"selection":  func(s *screen) { s.typeText("draft"); s.key("ctrl+up") },
		"palette":    func(s *screen) { s.typeText("draft"); s.key("ctrl+p"); s.typeText("x") },
		"history":    func(s *screen) { s.typeText("draft"); s.key("ctrl+r") },
		"help":       func(s *screen) { s.typeText("draft"); s.key("f1") },
		"themes":     func(s *screen) { s.command("/theme") },
		"settings":   func(s *screen) { s.command("/settings"); s.typeText("m") },
		"completion": func(s *screen) { s.vi("/he") },
		"approval":   func(s *screen) { s.typeText("draft"); s.asked(removal("r1")); s.later() },
		"reason":     func(s *screen) { workingTurn(s, removal("r1")); s.key("r"); s.typeText("Jo") },
		"parts":      func(s *screen) { workingTurn(s, rewriting("r1")); s.key("p") },
		"question": func(s *screen) {
			s.ask("x")
			s.deliver(event.AgentMessage{Content: "Which?", IsQuestion: true, Options: []string{"a", "b"}}, event.TurnFinished{})
		},
		"goal":        func(s *screen) { s.command("/goal x") },
		"small":       func(s *screen) { s.send(tea.WindowSizeMsg{Width: 18, Height: 5}); s.typeText("draft"); s.key("ctrl+p") },
		"draft below": func(s *screen) { s.typeText("draft"); s.key("f2") },
	} {
		for _, style := range []string{"emacs", "vi"} {
			t.Run(name+" "+style, func(t *testing.T) {
				s := newScreen(t, talked("An answer."), settings, paletteOptions, func(o *Options) { o.KeyStyle = style })
				reach(s)
				s.now = s.now.Add(time.Second)
				drawn := strings.Join(append(s.m.body(), s.m.arrange().input...), "\n")
				if n := strings.Count(drawn, theme.Cursor); n > 1 {
					t.Errorf("%d cursors:\n%s", n, s.text())
				}
				field := name == "find" || name == "palette" || name == "history" || name == "reason"
				if v := s.m.View(); field && (v.Cursor == nil || v.Cursor.Shape != tea.CursorBar) {
					t.Errorf("the cursor is not in the field:\n%s", s.text())
				}
			})
		}
	}
}

func TestEscapeInVi(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   escState
		want escAction
	}{
		{"inserting", escState{mode: true}, escLeaveMode},
		{"a turn", escState{mode: true, running: true}, escStop},
		{"a turn that is being stopped", escState{mode: true, running: true, stopping: true}, escLeaveMode},
		{"what the turn asks", escState{mode: true, dialog: true, asks: true, running: true}, escStop},
		{"a dialog", escState{mode: true, dialog: true, takesKeys: true}, escCloseDialog},
		{"a question", escState{mode: true, question: true}, escLeaveMode},
		{"an earlier message", escState{mode: true, editing: true}, escLeaveMode},
		{"a name offered", escState{mode: true, completing: true}, escCloseCompletion},
	} {
		if got := escape(tt.in); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A text begun with a command of vi below a request decides nothing; Esc or another key returns to the request.
func TestViWritesBelowRequests(t *testing.T) {
	asked := func() *screen {
		s := newScreen(t, viKeys)
		s.vi("tidy")
		s.key("esc", "enter")
		s.deliver(event.Requested{Request: deletion("r1")})
		s.later()
		return s
	}
	for _, begin := range []string{"i", "I", "A", "o", "O"} {
		s := asked()
		s.vi(begin)
		s.later()
		s.vi("yes, and also Knee")
		if len(s.f.answers) > 0 {
			t.Fatalf("%s: decided %+v", begin, s.f.answers)
		}
		if got := strings.TrimSpace(s.m.composer.Value()); got != "yes, and also Knee" {
			t.Errorf("%s: %q is written", begin, got)
		}
	}
	s := asked()
	s.vi("i")
	s.key("left")
	s.later()
	s.vi("y")
	if len(s.f.answers) != 1 {
		t.Errorf("not decided: %+v", s.f.answers)
	}
}

// In normal mode, too, a number marks an option and Enter picks it.
func TestViPicksByNumber(t *testing.T) {
	s := newScreen(t, viKeys)
	s.vi("which folder?")
	s.key("esc")
	s.key("enter")
	sent := s.f.sent[0]
	s.deliver(event.Received{Message: sent}, event.TurnStarted{MessageIDs: []string{sent.ID}},
		event.AgentMessage{Content: "Which one?", IsQuestion: true, Options: []string{"Archive", "Trips", "Recipes"}},
		event.TurnFinished{Result: event.Result{Success: true, IsWaitingForResponse: true, StopReason: event.StopWaiting}})
	s.later()
	s.wants("normal")
	s.vi("2")
	s.key("enter")
	if last := s.f.sent[len(s.f.sent)-1]; last.Text != "Trips" {
		t.Errorf("sent %q\n%s", last.Text, s.text())
	}
}
