package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/tui/dialog"

	"chatvault/tui/keys"
)

// deletion returns a request to delete a note.
func deletion(id string) event.Request {
	r := event.Request{ID: id, Kind: event.RequestApproval, Text: "Deleting waits (approval = destructive)."}
	r.Change.Tool, r.Change.Kind, r.Change.Path, r.Change.Detail = "delete_file", "delete", "Recipes/Nectarine tart.md", "to the trash"
	r.Change.Destructive = true
	return r
}

// edit returns a request to change a note.
func edit(id string) event.Request {
	r := event.Request{ID: id, Kind: event.RequestApproval}
	r.Change.Tool, r.Change.Kind, r.Change.Path = "edit_file", "edit", "Recipes/Nectarine tart.md"
	r.Change.Diff = "--- a/x\n+++ b/x\n@@ -12,4 +12,5 @@\n # Nectarine tart\n \n-200 g flour\n+250 g flour, and a line that is long enough to go on in the next row of the dialog, as notes have them\n+1 egg\n 100 g butter\n"
	return r
}

func secret(id string) event.Request {
	return event.Request{
		ID: id, Kind: event.RequestSecret, Name: "OPENAI_API_KEY",
		Text: "The provider openai refused the key: it is missing or invalid. What you type is stored in the system's keyring and used from now on.",
	}
}

// asked delivers requests within a turn and waits until they accept keys.
func (s *screen) asked(rs ...event.Request) {
	s.t.Helper()
	s.ask("tidy my recipes")
	s.deliver(event.StateChanged{State: event.StateActing})
	for _, r := range rs {
		s.deliver(event.StateChanged{State: event.StateWaitingDecision}, event.Requested{Request: r})
	}
	s.later()
}

// later waits until a dialog accepts keys.
func (s *screen) later() {
	s.now = s.now.Add(dialog.Settle)
	s.send(tickMsg{})
}

func (s *screen) answers(want ...answered) {
	s.t.Helper()
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	same := func(a, b answered) bool {
		return a.ID == b.ID && a.Decision == b.Decision && a.Note == b.Note && a.Value == b.Value && slices.Equal(a.Hunks, b.Hunks)
	}
	if !slices.EqualFunc(s.f.answers, want, same) {
		s.t.Fatalf("answered %+v, want %+v\n%s", s.f.answers, want, ansi.Strip(s.m.View().Content))
	}
}

func TestApprovals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		keys []string
		want event.Answer
	}{
		{"allowed once", []string{"enter"}, event.Answer{Decision: event.AllowOnce}},
		{"allowed for the conversation", []string{"down", "enter"}, event.Answer{Decision: event.AllowConversation}},
		{"denied", []string{"down", "down", "enter"}, event.Answer{Decision: event.Deny}},
		{"denied with a note", []string{"up", "enter", "keep it, ", "please", "enter"}, event.Answer{Decision: event.Deny, Note: "keep it, please"}},
		{"y", []string{"y"}, event.Answer{Decision: event.AllowOnce}},
		{"a", []string{"a"}, event.Answer{Decision: event.AllowConversation}},
		{"n", []string{"n"}, event.Answer{Decision: event.Deny}},
		{"r", []string{"r", "keep it, ", "please", "enter"}, event.Answer{Decision: event.Deny, Note: "keep it, please"}},
		{"a digit", []string{"2"}, event.Answer{Decision: event.AllowConversation}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.asked(deletion("r1"))
			s.wants("Delete this?", "Recipes/Nectarine tart.md", "to the trash", "› Allow once", "Esc stops")
			s.lacks("delete_file")
			s.key(tt.keys...)
			s.answers(answered{ID: "r1", Answer: tt.want})
			s.lacks("Delete this?")
			s.deliver(event.RequestEnded{ID: "r1", Decision: tt.want.Decision})
			if got := s.m.composer.Value(); got != "" {
				t.Errorf("the composer holds %q", got)
			}
			if s.f.stopped() != 0 {
				t.Error("the turn was stopped")
			}
		})
	}
}

// Enter and letters typed ahead approve nothing.
func TestTypeaheadNeverApproves(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(s *screen){
		"enter at once":              func(s *screen) { s.key("enter") },
		"enter just before its time": func(s *screen) { s.now = s.now.Add(dialog.Settle - 1); s.key("enter") },
		"a text and enter":           func(s *screen) { s.typeText("yes"); s.key("enter") },
		"a text and enter, later":    func(s *screen) { s.typeText("and the plums"); s.later(); s.key("enter") },
		"a long text and enter": func(s *screen) {
			for range 10 {
				s.typeText("word ")
				s.now = s.now.Add(200 * time.Millisecond)
			}
			s.key("enter")
		},
		"enter held down": func(s *screen) {
			for range 30 {
				s.key("enter")
				s.now = s.now.Add(50 * time.Millisecond)
			}
		},
		"letters": func(s *screen) { s.typeText("y"); s.later(); s.typeText("a"); s.key("enter") },
		"letters while it is sent": func(s *screen) {
			s.later()
			s.typeText("no hurry")
			s.key("enter")
			s.typeText("y")
		},
		"a pasted letter": func(s *screen) {
			s.later()
			s.send(keys.Paste("y"))
		},
		"a text when it takes keys": func(s *screen) { s.later(); s.typeText("stop that"); s.key("enter") },
		"a paste with a line end": func(s *screen) {
			s.later()
			s.send(keys.Paste("a\n"))
			s.key("enter")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.ask("tidy my recipes")
			s.deliver(event.Requested{Request: deletion("r1")})
			do(s)
			s.answers()
			s.wants("Delete this?")
		})
	}
}

// Enter sends a text that was being written when the dialog appeared; the arrows move to the choices.
func TestTypingContinuesBelowAnApproval(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.ask("tidy my recipes")
	s.typeText("and the pl")
	s.deliver(event.Requested{Request: deletion("r1")})
	s.later()
	s.wants("Enter to send your text")
	s.lacks("› Allow once")
	s.typeText("ums")
	s.key("enter")
	s.answers()
	if last := s.f.sent[len(s.f.sent)-1]; last.Text != "and the plums" {
		t.Errorf("sent %q", last.Text)
	}
	s.key("enter", "up") // one press too many
	s.answers()
	s.wants("› Deny")
	s.later()
	s.key("up", "up", "enter")
	s.answers(answered{ID: "r1", Answer: event.Answer{Decision: event.AllowOnce}})
}

func TestRequestsComeOneAfterAnother(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.asked(deletion("r1"), edit("r2"))
	s.wants("Delete this?")
	s.lacks("Change this note?")
	s.key("enter")
	s.wants("Change this note?")
	s.key("enter", "down") // it ignores keys for now
	s.answers(answered{ID: "r1", Answer: event.Answer{Decision: event.AllowOnce}})
	s.later()
	s.deliver(event.RequestEnded{ID: "r1", Decision: event.AllowOnce})
	s.wants("Change this note?", "› Allow once")
	s.key("n")
	s.answers(answered{ID: "r1", Answer: event.Answer{Decision: event.AllowOnce}}, answered{ID: "r2", Answer: event.Answer{Decision: event.Deny}})
}

// Esc stops the turn in any request, immediately, and nothing is answered; queued requests are not shown.
func TestEscStopsTheTurnInAnyRequest(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(s *screen){
		"an approval":           func(s *screen) { s.asked(deletion("r1"), edit("r2")) },
		"at once":               func(s *screen) { s.ask("tidy"); s.deliver(event.Requested{Request: deletion("r1")}) },
		"below a text":          func(s *screen) { s.asked(deletion("r1")); s.typeText("and the plums") },
		"a choice marked":       func(s *screen) { s.asked(deletion("r1")); s.key("down") },
		"the reason":            func(s *screen) { s.asked(deletion("r1")); s.key("r", "keep") },
		"the parts":             func(s *screen) { s.asked(rewriting("r1")); s.key("p", "y") },
		"a key":                 func(s *screen) { s.asked(secret("r1")); s.typeText("sk-") },
		"a key that came now":   func(s *screen) { s.ask("tidy"); s.deliver(event.Requested{Request: secret("r1")}) },
		"while a name is found": func(s *screen) { s.asked(deletion("r1")); s.typeText("/he") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			open(s)
			s.key("esc")
			s.answers()
			if s.f.stopped() != 1 {
				t.Fatalf("%d stops", s.f.stopped())
			}
			s.wants("Stopping…")
			s.lacks("Delete this?", "Change this note?", "Overwrite this note?", "A key is needed")
			s.key("esc", "esc")
			s.deliver(event.Requested{Request: edit("r9")})
			s.lacks("Change this note?")
			if s.answers(); s.f.stopped() != 1 {
				t.Errorf("%d stops", s.f.stopped())
			}
		})
	}
}

func TestAWithdrawnRequestCloses(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s *screen){
		"ended":    func(s *screen) { s.deliver(event.RequestEnded{ID: "r1", Decision: event.Withdrawn}) },
		"stopped":  func(s *screen) { s.deliver(event.TurnStopped{MessageIDs: []string{"m1"}}) },
		"failed":   func(s *screen) { s.deliver(event.TurnFailed{Text: "It failed."}) },
		"by /stop": func(s *screen) { s.typeText("/stop"); s.key("enter") },
		"a new event": func(s *screen) {
			s.m.turn.stopping = true
			s.m.requests.withdraw()
			s.deliver(event.Requested{Request: edit("r9")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.asked(deletion("r1"))
			end(s)
			s.lacks("Delete this?", "Change this note?")
			s.answers()
		})
	}
}

func TestRejectedAnswerReopensTheRequest(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.f.refuseAnswer = errors.New("nothing was typed")
	s.asked(secret("r1"))
	s.typeText("sk-1")
	s.key("enter")
	s.wants("A key is needed: OPENAI_API_KEY", "Not accepted: nothing was typed.")
	s.deliver(event.RequestEnded{ID: "r1", Decision: event.Withdrawn})
	s.lacks("A key is needed")
}

func TestAllowingForTheConversationIsReported(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.asked(edit("r1"))
	s.key("down", "enter")
	s.deliver(event.RequestEnded{ID: "r1", Decision: event.AllowConversation})
	s.wants("Allowed for this conversation: edits.")
}

func TestTheWheelScrollsTheDiff(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	r := edit("r1")
	r.Change.Diff = "@@ -1 +1,80 @@\n" + strings.Repeat("+another line\n", 79) + "+the last line\n"
	s.asked(r)
	s.lacks("the last line")
	for range 40 {
		s.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		s.m.View()
	}
	s.wants("the last line", "› Allow once")
}

// At any size the marked choice, or the field, is visible.
func TestRequestsFitAnyScreen(t *testing.T) {
	t.Parallel()
	for _, size := range []tea.WindowSizeMsg{{Width: 10, Height: 5}, {Width: 20, Height: 6}, {Width: 40, Height: 15}, {Width: 220, Height: 60}, {Width: 1, Height: 1}, {Width: 3, Height: 2}} {
		s := newScreen(t)
		s.asked(edit("r1"))
		s.send(size)
		checkFrame(t, s.m)
		if size.Width >= 10 {
			s.wants("› ")
		}
		s.m.View()
		s.key("r")
		checkFrame(t, s.m)
		if size.Width >= 10 {
			s.wants("›")
		}
		s.key("enter")
		s.answers(answered{ID: "r1", Answer: event.Answer{Decision: event.Deny}})
		s = newScreen(t)
		s.asked(secret("r1"))
		s.send(size)
		checkFrame(t, s.m)
	}
}

func TestSuspendAndRedrawAlwaysWork(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.asked(deletion("r1"))
	if taken, _ := s.m.dialogKey(keys.Press("ctrl+z")); taken {
		t.Error("Ctrl+Z is for the dialog")
	}
	if taken, _ := s.m.dialogKey(keys.Press("ctrl+l")); taken {
		t.Error("Ctrl+L is for the dialog")
	}
}

// Hostile text in any part of a request, an option or a goal leaves only styles on the screen.
func TestHostileTextInRequests(t *testing.T) {
	t.Parallel()
	for _, row := range hostileTexts(t) {
		x := row.text
		r := edit("r1")
		r.Text, r.Change.Tool, r.Change.Path, r.Change.NewPath, r.Change.Detail = x, x, x, x, x
		r.Change.Kind, r.Change.Diff = "move", "@@ -1,2 +1,2 @@\n "+x+"\n-"+x+"\n+"+x+"\n"
		setting := secret("r1")
		setting.Kind, setting.Name, setting.Text = event.RequestSetting, x, x
		for name, show := range map[string]func(*screen){
			"an approval": func(s *screen) { s.asked(r) },
			"a setting": func(s *screen) {
				s.asked(setting)
				s.send(keys.Paste(x))
			},
			"a goal and options": func(s *screen) {
				g := event.Goal{Text: x, Why: x, Status: event.GoalPaused, Turns: 1, MaxTurns: 2}
				s.deliver(event.Received{Message: event.Inbound{ID: "g", Text: x, Source: event.SourceGoal}}, event.TurnStarted{MessageIDs: []string{"g"}},
					event.AgentMessage{Content: "Which?", IsQuestion: true, Options: []string{x, x}},
					event.TurnFinished{}, event.GoalChanged{Goal: g})
			},
		} {
			s := newScreen(t)
			s.send(tea.WindowSizeMsg{Width: 60, Height: 50})
			show(s)
			checkFrame(t, s.m)
			for _, c := range sgr.ReplaceAllString(s.m.View().Content, "") {
				if unicode.IsControl(c) && c != '\n' || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 {
					t.Fatalf("%s in %s: %U reached the screen", row.why, name, c)
				}
			}
			if title := s.m.windowTitle(); strings.IndexFunc(title, unicode.IsControl) >= 0 {
				t.Fatalf("%s in %s: title %q", row.why, name, title)
			}
		}
	}
}
