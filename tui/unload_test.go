package tui

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/cite"
	"chatvault/tui/chat"
	"chatvault/tui/list"
)

// record holds all turns of a chat by conversation.
type record struct {
	perTalk int // turns per conversation
	last    int // the newest turn, from 1
	reads   int
}

// talk returns the conversation of a turn.
func (r *record) talk(turn int) int { return (turn - 1) / r.perTalk }

func (r *record) earlier(_ context.Context, before string, all bool) (session.Page, error) {
	r.reads++
	id, turn, _ := strings.Cut(before, " ")
	n, err := strconv.Atoi(strings.TrimPrefix(id, "c"))
	if err != nil {
		return session.Page{}, err
	}
	first, end := n*r.perTalk+1, min((n+1)*r.perTalk, r.last)+1
	if turn != "" {
		if end, err = strconv.Atoi(strings.TrimPrefix(turn, "m")); err != nil {
			return session.Page{}, err
		}
	}
	p, from := session.Page{ID: id}, max(first, end-longPage)
	if all {
		from = first
	}
	if from > first {
		p.Earlier = fmt.Sprintf("%s m%d", id, from)
	}
	for i := from; i < end; i++ {
		m := fmt.Sprint("m", i)
		p.Items = append(p.Items, session.HistoryItem{Role: session.HistoryUser, Content: fmt.Sprintf("question %d", i), ID: m, Turn: m, Time: time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC)})
		if i%2 == 0 {
			p.Items = append(p.Items, session.HistoryItem{Role: session.HistoryTool, Content: "read_file", Target: "Projects/a.md", Summary: "12 lines"})
		}
		p.Items = append(p.Items, session.HistoryItem{Role: session.HistoryAssistant, Content: answerTo(i)})
	}
	return p, nil
}

func answerTo(i int) string {
	return fmt.Sprintf("This is the **answer** to question %d. It says `something` of [[Projects/a]].", i)
}

// screen returns a chat whose history is read from the record.
func (r *record) screen(t testing.TB) *screen {
	return newScreen(t, func(o *Options) {
		conversationOf(o).earlier = r.earlier
		conversationOf(o).before = func(conversation, turn string) string { return strings.TrimSpace(conversation + " " + turn) }
		o.Citing.Resolve = func(_ context.Context, refs []cite.Reference) ([]cite.Destination, error) {
			return make([]cite.Destination, len(refs)), nil
		}
	})
}

// turn plays and draws the next turn.
func (r *record) turn(s *screen) {
	r.last++
	i := r.last
	id, talk := fmt.Sprint("m", i), fmt.Sprint("c", r.talk(i))
	events := []event.Event{
		event.Received{Message: event.Inbound{ID: id, Text: fmt.Sprintf("question %d", i), Time: s.now}},
		event.TurnStarted{MessageIDs: []string{id}},
	}
	if i > 1 && r.talk(i) != r.talk(i-1) {
		events = append(events, event.ConversationEnded{ID: fmt.Sprint("c", r.talk(i-1)), Reason: "idle"}, event.ConversationBegan{ID: talk})
	}
	events = append(events, event.StateChanged{State: event.StateThinking})
	if i%2 == 0 {
		events = append(events, event.ToolStarted{ID: "call", Name: "read_file", Target: "Projects/a.md"}, event.ToolFinished{ID: "call", Name: "read_file", Summary: "12 lines"},
			event.StateChanged{State: event.StateThinking})
	}
	events = append(events, event.TextDelta{Text: answerTo(i)},
		event.TurnFinished{Result: event.Result{Success: true, MessageID: id}, ConversationID: talk})
	for _, e := range events {
		s.m.Update(eventsMsg{events: []event.Event{e}})
	}
	_ = s.m.View().Content
}

var questionLine = regexp.MustCompile(`▌ question (\d+)`)

// questions returns the visible questions.
func (s *screen) questions() []int {
	var all []int
	for _, m := range questionLine.FindAllStringSubmatch(s.text(), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// Memory grows by at most 1 MB in 1,000 turns of an open chat, with several conversations, tool calls and sizes.
func TestMemoryOfALongChatIsBounded(t *testing.T) {
	const warm, turns, most = 720, 1920, 1 << 20
	r := &record{perTalk: 25}
	s := r.screen(t)
	held := func() int64 {
		var stats runtime.MemStats
		for range 2 { // the second run frees pools
			runtime.GC()
		}
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	var before int64
	for r.last < turns {
		if r.last%10 == 0 {
			s.send(tea.WindowSizeMsg{Width: 60 + r.last%70, Height: 20 + r.last%17})
		}
		r.turn(s)
		if r.last == warm {
			before = held()
		}
	}
	grown := (held() - before) * 1000 / (turns - warm)
	t.Logf("%d items after %d turns; %+.2f MB in 1,000 turns", s.m.list.Len(), turns, float64(grown)/(1<<20))
	if grown > most {
		t.Errorf("memory grows by %.2f MB in 1,000 turns", float64(grown)/(1<<20))
	}
	if n := s.m.list.Len(); n > mostItems+10 {
		t.Errorf("%d items are kept", n)
	}
	runtime.KeepAlive(s)
}

// scrollsThrough scrolls up from the last question to the first and checks that each becomes visible in turn.
func (s *screen) scrollsThrough(last, first int) {
	s.t.Helper()
	next := last
	for i := 0; next >= first && i < 5000; i++ {
		above := s.questions()
		for n := len(above) - 1; n >= 0; n-- {
			if above[n] < next {
				s.t.Fatalf("question %d stands where %d should:\n%s", above[n], next, s.text())
			}
			if above[n] == next {
				next--
			}
		}
		s.key("pgup")
	}
	if next >= first {
		s.t.Fatalf("question %d was never in sight:\n%s", next, s.text())
	}
}

// Unloaded items return without a gap when scrolling up, without moving the visible lines.
func TestScrollingUpReloadsUnloadedMessages(t *testing.T) {
	t.Parallel()
	const turns = 700
	r := &record{perTalk: 10_000}
	s := r.screen(t)
	for r.last < turns {
		r.turn(s)
	}
	if n := s.m.list.Len(); n > mostItems {
		t.Fatalf("%d items are kept", n)
	}
	s.scrollsThrough(turns, 1)
	s.lacks("Earlier messages")
	if s.m.talk.gap != nil {
		t.Error("messages are still missing")
	}
	// At the end they are unloaded again.
	s.key("end")
	r.turn(s)
	if n := s.m.list.Len(); n > mostItems {
		t.Errorf("%d items are kept", n)
	}
	s.wants(fmt.Sprintf("question %d", r.last))
}

// Home loads everything that was unloaded.
func TestHomeReloadsUnloadedMessages(t *testing.T) {
	t.Parallel()
	r := &record{perTalk: 10_000}
	s := r.screen(t)
	for r.last < 500 {
		r.turn(s)
	}
	s.key("home")
	s.wants("question 1", "question 2")
	users := 0
	s.m.list.Each(func(it list.Item) {
		if u, ok := it.(*chat.User); ok {
			if users++; u.Text != fmt.Sprintf("question %d", users) {
				t.Fatalf("%q stands in place %d", u.Text, users)
			}
		}
	})
	if users != r.last {
		t.Errorf("%d messages of %d", users, r.last)
	}
}

// Find reads unloaded items.
func TestFindSearchesUnloadedMessages(t *testing.T) {
	t.Parallel()
	r := &record{perTalk: 10_000}
	s := r.screen(t)
	for r.last < 500 {
		r.turn(s)
	}
	s.key("ctrl+f")
	s.typeText("question 7.")
	s.key("enter")
	for i := 0; i < 50 && !strings.Contains(s.text(), "answer to question 7."); i++ {
		s.key("up", "enter")
	}
	s.wants("answer to question 7.")
}

// While the user reads further up, loaded items remain and the visible lines do not move.
func TestVisibleMessagesAreNotUnloaded(t *testing.T) {
	t.Parallel()
	r := &record{perTalk: 10_000}
	s := r.screen(t)
	for r.last < 300 {
		r.turn(s)
	}
	for range 40 {
		s.key("pgup")
	}
	was := s.questions()
	for r.last < 700 {
		r.turn(s)
		if r.last%20 > 0 {
			continue
		}
		if got := s.questions(); fmt.Sprint(got) != fmt.Sprint(was) {
			t.Fatalf("%v is in sight after turn %d, it was %v", got, r.last, was)
		}
	}
	s.key("end")
	r.turn(s)
	if n := s.m.list.Len(); n > mostItems {
		t.Errorf("%d items are kept", n)
	}
}

// Unloading removes older conversations; scrolling up leads to the beginning of the one that is the first in the list.
func TestOlderConversationsAreRemoved(t *testing.T) {
	t.Parallel()
	r := &record{perTalk: 400}
	s := r.screen(t)
	for r.last < 800 {
		r.turn(s)
	}
	s.key("home")
	s.wants("New conversation", "“question 1”", "question 401")
	s.lacks("Earlier messages")
}

// After going back in a conversation whose beginning is not loaded, scrolling up leads to its beginning.
func TestAConversationIsShownAgainBelowWhatIsMissing(t *testing.T) {
	t.Parallel()
	r := &record{perTalk: 400}
	s := r.screen(t)
	for r.last < 800 {
		r.turn(s)
	}
	r.last-- // going back by a turn
	p, err := r.earlier(t.Context(), "c1", false)
	if err != nil {
		t.Fatal(err)
	}
	s.m.talk.reload(p)
	s.m.dirty = true
	s.scrollsThrough(r.last, 401)
	s.wants("New conversation")
}
