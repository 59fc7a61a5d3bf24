package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/session"
)

// says checks that sentences are on the screen, ignoring line breaks.
func (s *screen) says(sentences ...string) {
	s.t.Helper()
	text := strings.Join(strings.FieldsFunc(s.text(), func(r rune) bool { return strings.ContainsRune(" \n│┊", r) }), " ")
	for _, want := range sentences {
		if !strings.Contains(text, want) {
			s.t.Fatalf("the screen does not say %q:\n%s", want, s.text())
		}
	}
}

// rules is the setting that a review proposes to change.
type rules struct {
	asked   int
	texts   []string // proposed texts
	applied int
	change  session.SettingChange
	err     error // of Architecture
	refused error // of writing
}

func newRules() *rules {
	return &rules{change: session.SettingChange{
		Path: ".smarthole/settings.toml",
		Diff: "--- a\n+++ b\n@@ -1 +1,2 @@\n Recipes go to Recipes/.\n+Plans go to Plans/.\n",
	}}
}

func (r *rules) options(o *Options) {
	conversationOf(o).retrospect = func() error { r.asked++; return r.err }
	settingsOf(o).architecture = func(text string) (session.SettingChange, error) {
		r.texts = append(r.texts, text)
		c := r.change
		c.Apply = func() error {
			if r.refused == nil {
				r.applied++
			}
			return r.refused
		}
		return c, r.err
	}
}

func lookBack(architecture string) event.Retrospected {
	return event.Retrospected{ConversationTitle: "Planning the tart", Content: "They got what they wanted.", Architecture: architecture}
}

func TestRetrospectOnDemand(t *testing.T) {
	t.Parallel()
	r := newRules()
	s := newScreen(t, r.options)
	s.command("/retrospect")
	s.wants("Reviewing…")
	if r.asked != 1 {
		t.Errorf("asked %d times", r.asked)
	}
	s.deliver(lookBack(""))
	s.wants("✦ Review: Planning the tart", "They got what they wanted.")
	s.lacks("Ctrl+G")
	s.key("ctrl+g")
	s.wants("No review proposes anything")
	s.command("/retrospect yes")
	s.says("/retrospect accept shows what a review proposes")
	r.err = errors.New("this conversation is empty")
	s.command("/retrospect")
	s.wants("Nothing to review: this conversation is empty")
}

// A reflection is shown as it streams, even during a turn; one that was read stays unfolded.
func TestRetrospectionStreams(t *testing.T) {
	t.Parallel()
	s := newScreen(t, newRules().options)
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
	long := strings.Repeat("\n\nA paragraph.", 9)
	s.deliver(piece(" what they wanted." + long))
	s.m.list.Home()
	caughtUp("They got what they wanted.")
	s.lacks("more lines")
	e := lookBack("Plans go to Plans/.")
	e.ConversationID, e.Content = "c", e.Content+long
	s.deliver(e)
	s.lacks("more lines")
	s.key("end")
	s.says("It proposes a change to where things go")
	s.m.list.Home()
	s.m.dirty = true
	if n := strings.Count(s.text(), "✦ Review"); n != 1 {
		t.Errorf("%d cards:\n%s", n, s.text())
	}

	// One that is cut short says so, and the next is a new card.
	s.key("end")
	s.deliver(piece("It began"), event.Retrospected{ConversationID: "c", ConversationTitle: "Planning the tart", Content: "It began", Cut: "it was stopped"}, piece("Once more"))
	s.wants("It began", "Cut short: it was stopped", "Once more")
}

func TestAProposalIsTaken(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*screen){
		"by a key":     func(s *screen) { s.key("ctrl+g") },
		"by a command": func(s *screen) { s.command("/retrospect accept") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRules()
			s := newScreen(t, r.options)
			s.deliver(lookBack("Plans go to Plans/."))
			s.wants("It proposes a change to where things go: Ctrl+G shows it")
			open(s)
			s.wants("Change where things go?", ".smarthole/settings.toml", "+ Plans go to Plans/.", "Esc to cancel")
			s.says("The review of “Planning the tart” proposed it; nothing is written before you say so.")
			s.lacks("Esc denies")
			s.key("enter") // pressed once too often
			if r.applied != 0 {
				t.Fatal("written by a key that was pressed before the diff could be seen")
			}
			s.later()
			s.wants("› Write it")
			s.key("enter")
			if r.applied != 1 || len(r.texts) != 1 || r.texts[0] != "Plans go to Plans/." {
				t.Errorf("written %d times, proposed %q", r.applied, r.texts)
			}
			s.says("Accepted: where things go is written to .smarthole/settings.toml")
			s.lacks("Change where things go?", "Ctrl+G")
			s.key("ctrl+g")
			s.wants("No review proposes anything")
		})
	}
}

// Only Enter on the marked choice applies the proposal, and a dismissed one can be opened again.
func TestAProposalIsLeft(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string][]string{
		"by Esc":                     {"esc"},
		"by the second choice":       {"down", "enter"},
		"a word, then Esc":           {"yes", "esc"},
		"a word, then Enter and Esc": {"write it", "enter", "esc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRules()
			s := newScreen(t, r.options)
			s.deliver(lookBack("Plans go to Plans/."))
			s.key("ctrl+g")
			s.later()
			s.key(leave...)
			s.lacks("Change where things go?")
			if r.applied != 0 || s.f.stopped() != 0 {
				t.Errorf("written %d times, stopped %d", r.applied, s.f.stopped())
			}
			s.wants("It proposes a change to where things go: Ctrl+G shows it")
			s.key("ctrl+g")
			s.wants("Change where things go?")
		})
	}
}

func TestAProposalThatCannotBeTaken(t *testing.T) {
	t.Parallel()
	r := newRules()
	s := newScreen(t, r.options)
	s.deliver(lookBack("Plans go to Plans/."))
	r.err = errors.New("config.toml:3: is not valid TOML; fix it first")
	s.key("ctrl+g")
	s.says("The proposal cannot be accepted: config.toml:3: is not valid TOML; fix it first")
	r.err, r.refused = nil, errors.New("config.toml: it was changed meanwhile")
	s.key("ctrl+g")
	s.later()
	s.key("enter")
	s.says("Nothing was written: config.toml: it was changed meanwhile", "Ctrl+G shows what it would change now")
	r.refused, r.change.Diff = nil, ""
	s.key("ctrl+g")
	s.wants("It proposed no change to .smarthole/settings.toml")
	if r.applied != 0 {
		t.Errorf("written %d times", r.applied)
	}
}

func TestTheNewestProposalCounts(t *testing.T) {
	t.Parallel()
	r := newRules()
	s := newScreen(t, r.options)
	s.deliver(lookBack("The first."), lookBack("The second."))
	s.says("a later review proposes another")
	if n := strings.Count(s.text(), "Ctrl+G shows it"); n != 1 {
		t.Errorf("%d proposals wait:\n%s", n, s.text())
	}
	s.key("ctrl+g")
	if len(r.texts) != 1 || r.texts[0] != "The second." {
		t.Errorf("proposed %q", r.texts)
	}
}

// Without the means to apply it, no proposal is offered.
func TestNoProposalWithoutMeans(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.deliver(lookBack("Plans go to Plans/."))
	s.wants("They got what they wanted.")
	s.lacks("Ctrl+G")
	s.key("ctrl+g")
	s.lacks("Change where things go?")
}
