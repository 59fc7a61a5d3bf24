package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
)

// reviews counts the reviews that were requested, and fails with err.
type reviews struct {
	asked int
	err   error
}

func (r *reviews) options(o *Options) {
	conversationOf(o).retrospect = func() error { r.asked++; return r.err }
}

var lookBack = event.Retrospected{ConversationTitle: "Planning the tart", Content: "They got what they wanted."}

func TestRetrospectOnDemand(t *testing.T) {
	t.Parallel()
	r := &reviews{}
	s := newScreen(t, r.options)
	s.command("/retrospect")
	s.wants("Reviewing…")
	if r.asked != 1 {
		t.Errorf("asked %d times", r.asked)
	}
	s.deliver(lookBack)
	s.wants("✦ Review: Planning the tart", "They got what they wanted.")
	r.err = errors.New("this conversation is empty")
	s.command("/retrospect")
	s.wants("Nothing to review: this conversation is empty")
}

// A reflection is shown as it streams, even during a turn; one that was read stays unfolded.
func TestRetrospectionStreams(t *testing.T) {
	t.Parallel()
	s := newScreen(t, new(reviews).options)
	piece := func(text string) event.RetrospectionDelta {
		return event.RetrospectionDelta{ConversationID: "c", ConversationTitle: "Planning the tart", Text: text}
	}
	s.ask("and the jam?")
	s.deliver(event.TextDelta{Text: "The jam is"}, piece("They got"), event.TextDelta{Text: " in a jar.\n\n"})
	caughtUp := func(text string) { // text is drawn with a delay
		t.Helper()
		for end := time.Now().Add(30 * time.Second); !strings.Contains(s.text(), text) && time.Now().Before(end); {
			s.m.dirty = true
		}
		s.wants(text)
	}
	caughtUp("The jam is in a jar.")
	s.wants("✦ Review: Planning the tart", "They got")
	long := strings.Repeat("\n\nA paragraph.", 9) + "\n\nThe last one."
	s.deliver(piece(" what they wanted." + long))
	caughtUp("The last one.")
	s.m.list.Home()
	caughtUp("They got what they wanted.")
	s.lacks("more lines")
	e := lookBack
	e.ConversationID, e.Content = "c", e.Content+long
	s.deliver(e)
	s.lacks("more lines")
	s.m.dirty = true
	if n := strings.Count(s.text(), "✦ Review"); n != 1 {
		t.Errorf("%d cards:\n%s", n, s.text())
	}

	// One that is cut short says so, and the next is a new card.
	s.key("end")
	s.deliver(piece("It began"), event.Retrospected{ConversationID: "c", ConversationTitle: "Planning the tart", Content: "It began", Cut: "it was stopped"}, piece("Once more"))
	s.wants("It began", "Cut short: it was stopped", "Once more")
}
