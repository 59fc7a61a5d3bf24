package approval

import (
	"errors"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/theme"
)

// desk is a fake screen and a turn that accepts or rejects answers.
type desk struct {
	open    []dialog.Dialog
	flashed string
	refuse  error
	answers []string
}

func (d *desk) Flash(text string, _ time.Duration) tea.Cmd { d.flashed = text; return nil }
func (d *desk) Say(list.Item)                              {}
func (d *desk) PushUnasked(x dialog.Dialog)                { d.open = append(d.open, x) }
func (d *desk) Remove(dialog.Dialog)                       { d.open = d.open[:len(d.open)-1] }
func (d *desk) Stop() tea.Cmd                              { return nil }
func (d *desk) Writing() bool                              { return false }

func (d *desk) Answer(id string, _ event.Answer) error {
	d.answers = append(d.answers, id)
	return d.refuse
}

func TestOneIsShownAtATime(t *testing.T) {
	d := &desk{}
	r := New(d, chat.NewEnv(theme.New("none", colorprofile.ANSI256)), d)
	for _, id := range []string{"r1", "r2"} {
		r.Requested(event.Request{ID: id, Kind: event.RequestSetting, Name: id})
	}
	if next, ok := r.Next(); len(d.open) != 1 || !ok || next.ID != "r1" {
		t.Fatalf("%d are shown, %q is next", len(d.open), next.ID)
	}
	d.refuse = errors.New("nothing was typed")
	refused := r.Answer(Answer{ID: "r1"})().(loop.Do)
	if next, _ := r.Next(); len(d.open) != 1 || next.ID != "r2" {
		t.Fatalf("%d are shown after the first, %q is next", len(d.open), next.ID)
	}
	refused()
	if next, _ := r.Next(); next.ID != "r1" || d.flashed == "" {
		t.Errorf("%q is next after a refusal, which was told as %q", next.ID, d.flashed)
	}
	r.Ended(event.RequestEnded{ID: "r2"})
	if next, _ := r.Next(); len(d.open) != 1 || next.ID != "r1" || r.shown != "r1" {
		t.Errorf("%d are shown, %q of them", len(d.open), r.shown)
	}
	if r.Withdraw(); r.Open() || r.Asking() || len(d.open) != 0 {
		t.Error("something is open still")
	}
}
