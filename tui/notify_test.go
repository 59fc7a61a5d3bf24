package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
)

// window is a screen in a terminal with all abilities, and its notifications.
type window struct {
	*screen
	notified []string
	ticks    []tea.Msg // pending timer messages
}

func newWindow(t *testing.T, change ...func(*Options)) *window {
	w := &window{}
	w.screen = newScreen(t, append(change, func(o *Options) {
		o.Window = true
		o.Notify = func(text string) string {
			w.notified = append(w.notified, text)
			return ""
		}
	})...)
	w.m.tick = func(_ time.Duration, f func(time.Time) tea.Msg) tea.Cmd {
		if msg, ok := f(w.now).(notifyMsg); ok {
			w.ticks = append(w.ticks, msg)
		}
		return nil
	}
	return w
}

// told lets the timers expire and returns the notifications.
func (w *window) told() []string {
	ticks := w.ticks
	w.ticks, w.notified = nil, nil
	for _, msg := range ticks {
		w.send(msg)
	}
	return w.notified
}

func (w *window) happens(events ...event.Event) {
	w.deliver(events...)
	w.send(hintOverMsg{-1}) // work due after any message
}

func TestWorthNotifying(t *testing.T) {
	want := map[[2]activity]bool{{idle, waiting}: true, {working, waiting}: true, {working, idle}: true}
	for _, was := range []activity{idle, working, waiting} {
		for _, is := range []activity{idle, working, waiting} {
			if got := worthNotifying(was, is); got != want[[2]activity{was, is}] {
				t.Errorf("from %d to %d: %v", was, is, got)
			}
		}
	}
}

func TestNotifiesWithoutFocus(t *testing.T) {
	for name, tt := range map[string]struct {
		events []event.Event
		want   string
	}{
		"the end":      {[]event.Event{event.TurnFinished{}}, "Done in 42s · Garden notes"},
		"a failure":    {[]event.Event{event.TurnFailed{Text: "no"}}, "Failed after 42s · Garden notes"},
		"a question":   {[]event.Event{event.AgentMessage{Content: "Which\nbed?\x1b[2J", IsQuestion: true}, event.TurnFinished{}}, "The agent asks you something · Garden notes"},
		"an approval":  {[]event.Event{event.Requested{Request: deletion("r1")}}, "The agent asks you something · Garden notes"},
		"a key":        {[]event.Event{event.Requested{Request: secret("r1")}}, "The agent asks you something · Garden notes"},
		"that it goes": {[]event.Event{event.ToolStarted{ID: "t", Name: "read_file", Target: "a.md"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, away := range []bool{true, false} {
				w := newWindow(t)
				w.ask("hello")
				w.now = w.now.Add(42 * time.Second)
				if away {
					w.send(tea.BlurMsg{})
				}
				w.happens(tt.events...)
				got := strings.Join(w.told(), "|")
				if away && got != tt.want || !away && got != "" {
					t.Errorf("away %v: told %q, want %q", away, got, tt.want)
				}
			}
		})
	}
}

func TestNoNotificationAfterReturning(t *testing.T) {
	w := newWindow(t)
	w.ask("hello")
	w.send(tea.BlurMsg{})
	w.happens(event.TurnFinished{})
	w.send(tea.FocusMsg{})
	w.send(tea.BlurMsg{}) // seen by now
	if got := w.told(); len(got) > 0 {
		t.Errorf("told %q", got)
	}
}

func TestContinuingWorkDoesNotNotify(t *testing.T) {
	w := newWindow(t)
	w.ask("hello")
	w.send(tea.BlurMsg{})
	w.happens(event.TurnFinished{})
	w.happens(event.GoalChanged{Goal: event.Goal{Text: "tidy", Status: event.GoalChecking, MaxTurns: 10}})
	if got := w.told(); len(got) > 0 {
		t.Errorf("told %q", got)
	}
	w.happens(event.GoalChanged{Goal: event.Goal{Text: "tidy", Status: event.GoalMet, MaxTurns: 10}})
	if got := w.told(); len(got) != 1 {
		t.Errorf("told %q", got)
	}
}

// Focus events are frequent and do not change the screen.
func TestFocusDrawsNothing(t *testing.T) {
	w := newWindow(t)
	w.m.View()
	w.send(tea.BlurMsg{})
	w.send(tea.FocusMsg{})
	if w.m.dirty {
		t.Error("the screen is drawn again")
	}
}
