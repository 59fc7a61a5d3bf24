package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/internal/app/session"

	tea "charm.land/bubbletea/v2"
)

// twoWays returns a conversation with a branch.
func twoWays() *way {
	w := newWay()
	at := time.Date(2026, 11, 20, 9, 14, 0, 0, time.UTC)
	w.branches = []session.Branch{
		{Active: true, First: "third, thanks", Turns: 1, Ended: at.Add(27 * time.Hour), History: w.history[6:]},
		{ID: "b1", First: "third,\ntell me more", Turns: 2, Ended: at, History: []session.HistoryItem{
			{Role: session.HistoryUser, Content: "third, tell me more"},
			{Role: session.HistoryAssistant, Content: "There is **more** to it."},
			{Role: session.HistoryQuestion, Content: "Which part?", Options: []string{"this", "that"}, Waits: true},
		}},
	}
	w.moved = session.Moved{Page: session.Page{Items: append(slices.Clone(w.history[:6]), w.branches[1].History...)}, Left: 1}
	return w
}

func TestBranchesAreShownAndSwitchedTo(t *testing.T) {
	t.Parallel()
	w := twoWays()
	s := newScreen(t, w.options)
	s.command("/branches")
	s.wants("Branches of this conversation", "● third, thanks", "1 turn · 12:14 PM", "third, tell me more", "2 turns · Nov 20, 9:14 AM")
	s.key("enter")
	s.wants("The current one", "You are welcome.", "› Back")
	s.lacks("Switch to it")
	s.key("enter")
	s.wants("Branches of this conversation") // stays open below
	s.key("down", "enter")
	s.wants("It was left · 2 turns", "There is more to it.", "› Switch to it")
	if s.m.question != nil {
		t.Error("a question of a branch that is looked at waits for its answer")
	}
	s.key("esc", "enter", "enter")
	if !slices.Equal(w.switched, []string{"b1"}) {
		t.Fatalf("switched to %v", w.switched)
	}
	s.wants("There is more to it.", "Switched to another branch · /branches", "↑ ↓ or a number")
	s.lacks("You are welcome.", "Branches of this conversation")
	s.key("enter") // its question waits and was not visible yet when Enter was pressed
	if got := s.sentTexts(); len(got) != 0 {
		t.Fatalf("sent %q at once", got)
	}
	s.later()
	s.key("down", "enter")
	if got := s.sentTexts(); !slices.Equal(got, []string{"that"}) {
		t.Errorf("sent %q", got)
	}
}

func TestBranchesWhereNoneCanBeSwitchedTo(t *testing.T) {
	t.Parallel()
	w := twoWays()
	s := newScreen(t, w.options)
	s.ask("fourth")
	s.command("/branches") // viewing is always possible
	s.key("down", "enter", "enter")
	s.wants("A turn is running")
	if len(w.switched) != 0 {
		t.Fatalf("switched to %v", w.switched)
	}
	s.key("esc")
	s.lacks("Branches of this conversation")
	s.deliver(event.TurnFinished{})
	w.err = errors.New("it has ended meanwhile")
	s.command("/branches")
	s.wants("The branches could not be read: it has ended meanwhile")
	w.err, w.branches = nil, w.branches[:1]
	s.command("/branches")
	s.wants("This conversation has no branches; /edit makes one")
}

// Text typed while a reader is open goes to the composer, and Enter sends it.
func TestTypingContinuesBelowAReader(t *testing.T) {
	t.Parallel()
	w := twoWays()
	s := newScreen(t, w.options)
	s.command("/branches")
	s.key("down", "enter")
	s.typeText("go on")
	s.wants("Enter to send your text")
	s.lacks("› Switch to it")
	s.key("enter")
	if got := s.sentTexts(); !slices.Equal(got, []string{"go on"}) || len(w.switched) != 0 {
		t.Errorf("sent %q, switched to %v", got, w.switched)
	}
	s.wants("go on") // the message is visible, as its answer will be
	s.lacks("It was left", "Branches of this conversation")
}

// After the text below a reader is cleared, Enter belongs to the choices again.
func TestReaderGetsKeysBackAfterTyping(t *testing.T) {
	t.Parallel()
	w := twoWays()
	s := newScreen(t, w.options)
	s.command("/branches")
	s.key("down", "enter")
	s.typeText("go on")
	s.key("ctrl+c")
	s.wants("It was left", "› Back", "Enter to confirm")
	s.key("ctrl+c")
	s.wants("Branches of this conversation")
	s.lacks("It was left")
	if len(w.switched) != 0 || s.quit {
		t.Errorf("switched to %v, quit %v", w.switched, s.quit)
	}
}

func TestALongBranchScrolls(t *testing.T) {
	t.Parallel()
	w := twoWays()
	for range 30 {
		w.branches[1].History = append(w.branches[1].History, session.HistoryItem{Role: session.HistoryAssistant, Content: "A paragraph of many."})
	}
	w.branches[1].History = append(w.branches[1].History,
		session.HistoryItem{Role: session.HistoryTool, Content: "read_file", Target: "a.md", Detail: "1: the result"}, session.HistoryItem{Role: session.HistoryAssistant, Content: "The end of it."})
	s := newScreen(t, w.options)
	s.command("/branches")
	s.key("down", "enter")
	s.lacks("The end of it.")
	for range 20 {
		s.key("pgdown")
	}
	s.wants("The end of it.", "› Switch to it")
	s.lacks("the result")
	s.key("ctrl+t")
	s.wants("1: the result", "The end of it.", "› Switch to it")
	s.key("ctrl+t", "home")
	s.wants("third, tell me more")
}

// past is an archive of ended conversations.
type past struct {
	list    []session.Past
	renamed []string
	deleted []string
	err     error
	search  func(ctx context.Context, query string) ([]session.Past, error)
}

func newPast() *past {
	at := time.Date(2026, 11, 20, 9, 14, 0, 0, time.UTC)
	return &past{list: []session.Past{
		{Entry: conversation.Entry{ID: "c3", Title: "Planning the nectarine tart", First: "plan a tart", Summary: "A tart was planned for Sunday.", Ended: at, Turns: 12}},
		{Entry: conversation.Entry{ID: "c2", First: "what is in my inbox?", Ended: at.Add(-50 * time.Hour), Turns: 1}},
		{Entry: conversation.Entry{ID: "c1", Title: "Moving the recipes", Summary: "Four recipes with stone fruit moved.", Ended: at.AddDate(-1, 0, 0), Turns: 3}},
	}}
}

func (p *past) options(o *Options) {
	o.Conversations = &fakeConversations{
		list: func(context.Context) ([]session.Past, error) { return p.list, p.err },
		read: func(_ context.Context, id string) ([]session.HistoryItem, error) {
			return []session.HistoryItem{
				{Role: session.HistoryUser, Content: "said in " + id},
				{Role: session.HistoryAgentMessage, Content: "Looking."},
				{Role: session.HistoryQuestion, Content: "Which?"},
				{Role: session.HistoryAssistant, Content: "So it is."},
			}, p.err
		},
		search: func(ctx context.Context, query string) ([]session.Past, error) { return p.search(ctx, query) },
		rename: func(_ context.Context, id, title string) error {
			p.renamed = append(p.renamed, id+" "+title)
			p.list[0].Title = title
			return p.err
		},
		remove: func(_ context.Context, id string) error {
			p.deleted = append(p.deleted, id)
			p.list = slices.DeleteFunc(p.list, func(c session.Past) bool { return c.ID == id })
			return p.err
		},
		export: func(_ context.Context, id string) (string, error) { return "/home/anna/" + id + ".md", p.err },
	}
}

func TestEarlierConversationsAreRead(t *testing.T) {
	t.Parallel()
	s := newScreen(t, newPast().options)
	s.command("/conversations")
	s.wants("  Conversations", "› Planning the nectarine tart", "12 turns · Nov 20, 9:14 AM", "  what is in my inbox?", "1 turn · Nov 18, 7:14 AM", "3 turns · Nov 20, 2025")
	s.typeText("stone fruit") // from its summary
	s.wants("› Moving the recipes")
	s.lacks("nectarine")
	s.key("enter")
	s.wants("Moving the recipes", "Four recipes with stone fruit moved.", "said in c1", "Looking.", "› Back", "Delete…")
	s.lacks("The agent asks") // a question in a reader is not open
	if s.m.question != nil {
		t.Error("its question waits for an answer")
	}
	s.key("esc")
	s.wants("  Conversations", "› stone fruit")
	s.key("esc")
	s.lacks("  Conversations")
	if len(s.sentTexts()) != 0 || s.m.composer.Value() != "" {
		t.Error("what was typed to narrow the list went elsewhere, too")
	}
}

func TestEarlierConversationsAreSearched(t *testing.T) {
	t.Parallel()
	p := newPast()
	var queries []string
	p.search = func(_ context.Context, query string) ([]session.Past, error) {
		queries = append(queries, query)
		found := p.list[2]
		found.Excerpts = []string{"…the plums\nare ripe…"}
		return []session.Past{found, {Entry: conversation.Entry{ID: "now", First: "plums", Turns: 1}, Here: true}}, nil
	}
	s := newScreen(t, p.options)
	s.command("/conversations")
	s.typeText("?")
	s.wants("Type words to search the conversations for")
	s.typeText("plums")
	s.wants("›   Moving the recipes", "…the plums are ripe…", "● plums", "1 turn · active")
	s.lacks("nectarine")
	if !slices.Equal(queries, []string{"plums"}) {
		t.Errorf("searched for %q", queries)
	}
	s.key("down", "enter")
	s.wants("said in now")
	s.lacks("Delete…") // the active conversation
	s.key("esc", "ctrl+u")
	s.wants("› Planning the nectarine tart")
}

// A conversation found by a search opens at the match; n and N move between matches, and the letters of pagers scroll
// and close.
func TestAFoundConversationOpensAtTheMatch(t *testing.T) {
	t.Parallel()
	p := newPast()
	p.search = func(context.Context, string) ([]session.Past, error) { return p.list[:1], nil }
	s := newScreen(t, p.options, func(o *Options) {
		var said []session.HistoryItem
		for i := range 40 {
			text := fmt.Sprintf("Message %d says nothing of it.", i)
			switch i {
			case 10:
				text = "Here are plums."
			case 30:
				text = "Plums are ripe now."
			}
			said = append(said, session.HistoryItem{Role: session.HistoryAssistant, Content: text})
		}
		o.Conversations.(*fakeConversations).read = func(context.Context, string) ([]session.HistoryItem, error) { return said, nil }
	})
	s.command("/conversations")
	s.typeText("?ripe plums")
	s.key("enter")
	s.wants("Plums are ripe now.", "Message 29", "n N matches")
	s.lacks("Message 0 ", "Message 10 ")
	s.key("n", "n") // to the second word, then around
	s.wants("Here are plums.")
	s.lacks("Plums are ripe")
	s.key("N")
	s.wants("Plums are ripe now.")
	for _, tt := range []struct{ key, shows string }{
		{"g", "Message 0 "}, {"j", "Message 1 "}, {"G", "Message 39 "}, {"k", "Message 38 "}, {"g", "Message 0 "}, {"d", "Message 2 "}, {"u", "Message 0 "},
	} {
		s.key(tt.key)
		s.wants(tt.shows)
	}
	s.key("q")
	s.lacks("Message 0 ")
	s.wants("› Planning the nectarine tart")
}

// A new search cancels a slow one, whose results are not shown.
func TestALateSearchIsNotShown(t *testing.T) {
	t.Parallel()
	p := newPast()
	late := make(chan struct{})
	p.search = func(_ context.Context, query string) ([]session.Past, error) {
		if query == "pl" {
			<-late
			return p.list, nil
		}
		return p.list[2:], nil
	}
	s := newScreen(t, p.options)
	s.command("/conversations")
	s.typeText("?")
	_, slow := s.m.Update(keyOf("pl"))
	s.wants("Searching…")
	done := make(chan []tea.Cmd, 1)
	go func() { done <- flatten(slow) }()
	s.typeText("ums")
	s.wants("› Moving the recipes")
	close(late)
	for _, c := range <-done {
		s.send(c())
	}
	s.wants("› Moving the recipes")
	of, err := session.ListConversations(context.Background(), s.m.o.Conversations)
	if err != nil {
		t.Fatal(err)
	}
	s.run(s.m.lists.search(of, "pl")) // not the typed query
	s.lacks("nectarine")
}

func TestEarlierConversationsAreRenamedExportedAndDeleted(t *testing.T) {
	t.Parallel()
	p := newPast()
	s := newScreen(t, p.options)
	s.command("/conversations")
	s.key("enter", "down", "down", "enter")
	s.wants("Rename this conversation", "› Planning the nectarine tart", "Enter to rename")
	s.typeText(" and jam")
	s.key("enter")
	if !slices.Equal(p.renamed, []string{"c3 Planning the nectarine tart and jam"}) {
		t.Errorf("renamed %q", p.renamed)
	}
	s.wants("  Conversations", "› Planning the nectarine tart and jam", "Renamed to")
	s.key("enter", "down", "down", "down", "enter")
	s.wants("Written to /home/anna/c3.md", "› Export")
	s.key("down", "enter")
	s.wants("Delete this conversation?", "› Keep it")
	s.key("enter") // an accidental second press
	if len(p.deleted) != 0 {
		t.Fatal("deleted by Enter twice")
	}
	s.wants("› Delete…")
	s.key("enter", "up", "enter")
	if !slices.Equal(p.deleted, []string{"c3"}) {
		t.Errorf("deleted %q", p.deleted)
	}
	s.wants("  Conversations", "› what is in my inbox?", "Deleted: “Planning the nectarine tart and jam”")
	s.lacks("12 turns")
	p.err = errors.New("it has been removed")
	s.key("enter")
	s.wants("It could not be read: it has been removed")
}

func TestNoConversationHasEnded(t *testing.T) {
	t.Parallel()
	p := newPast()
	p.list = nil
	s := newScreen(t, p.options)
	s.command("/conversations")
	s.wants("No conversations yet")
	s.key("enter", "pgdown", "up", "down", "enter")
	s.key("esc")
	s.lacks("There is no conversation")
}
