package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/ptytest/golden"
	"chatvault/tui/chat"

	"chatvault/tui/keys"
)

// board is a fake clipboard.
type board struct {
	texts  []string
	result session.Copied
	err    error
}

func (b *board) options(o *Options) {
	copyingOf(o).put = func(_ context.Context, text string) (session.Copied, error) {
		b.texts = append(b.texts, text)
		return b.result, b.err
	}
	conversationOf(o).transcript = func(context.Context) (string, error) { return "# All of it\n", nil }
}

func (b *board) last() string {
	if len(b.texts) == 0 {
		return ""
	}
	return b.texts[len(b.texts)-1]
}

const withCode = "Do **this**:\n\n```sh\nmake tart\n```\n\nthen:\n\n```go\nx := 1\ny := 2\n```\n"

// worked loads a conversation with items of every kind.
func worked(o *Options) {
	o.Load = func(context.Context) (session.Loaded, error) {
		return session.Loaded{Page: session.Page{Items: []session.HistoryItem{
			{Role: session.HistoryUser, Content: "How is *it* baked?", ID: "m1", Turn: "m1"},
			{Role: session.HistoryTool, Content: "search_files", Target: "tart", Summary: "1 note", Detail: "Line 3: the tart", Turn: "m1"},
			{Role: session.HistoryAssistant, Content: withCode, Turn: "m1"},
			{Role: session.HistoryUser, Content: "and when?", ID: "m2", Turn: "m2"},
			{Role: session.HistoryAssistant, Content: "In **June**\x1b.", Turn: "m2"},
		}}}, nil
	}
}

func TestCopying(t *testing.T) {
	b := &board{result: session.Copied{By: "wl-copy"}}
	s := newScreen(t, worked, b.options)
	steps := []struct {
		keys []string
		want string // copied text
		says string
	}{
		{[]string{"ctrl+up", "y"}, "In **June**\x1b.", "Copied: the text"}, // the clipboard decides what can be pasted
		{[]string{"c"}, "", "No code block here"},
		{[]string{"up", "y"}, "and when?", "Copied: the text"},
		{[]string{"up", "y"}, withCode, "Copied: the text"},
		{[]string{"c"}, "make tart\n", "Copied: code block 1 of 2"},
		{[]string{"c"}, "x := 1\ny := 2\n", "Copied: code block 2 of 2"},
		{[]string{"c"}, "make tart\n", "code block 1 of 2"},
		{[]string{"up", "y"}, "Line 3: the tart", "Copied: the text"},
		{[]string{"up", "y"}, "How is *it* baked?", "Copied: the text"},
	}
	for _, step := range steps {
		before := len(b.texts)
		s.key(step.keys...)
		s.wants(step.says)
		if got := b.last(); step.want != "" && got != step.want || len(b.texts) > before != (step.want != "") {
			t.Errorf("%v copies %q, want %q", step.keys, got, step.want)
		}
	}
	s.key("esc")
	s.key("y") // text again
	s.wants("› y")
}

func TestCopyMessages(t *testing.T) {
	for _, tt := range []struct {
		msg  copiedMsg
		want string
	}{
		{copiedMsg{what: "the answer", Copied: session.Copied{By: "xclip"}}, "Copied: the answer"},
		{copiedMsg{what: "the answer", Copied: session.Copied{By: "tmux"}}, "Copied to tmux (prefix ] pastes it): the answer"},
		{copiedMsg{what: "the answer", Copied: session.Copied{Sent: true, File: "/s/copied.md"}}, "Sent to the terminal's clipboard (OSC 52); if that fails, it is in /s/copied.md"},
		{copiedMsg{what: "the answer", Copied: session.Copied{Sent: true}}, "Sent to the terminal's clipboard (OSC 52), which does not confirm it: the answer"},
		{copiedMsg{what: "the answer", Copied: session.Copied{File: "/s/copied.md"}}, "No clipboard took it; it is in /s/copied.md"},
		{copiedMsg{what: "the answer", err: errors.New("no space left")}, "Not copied: no space left"},
	} {
		if got := copiedText(tt.msg); got != tt.want {
			t.Errorf("%+v: %q", tt.msg, got)
		}
		if strings.HasPrefix(tt.want, "Copied") != (tt.msg.By != "") {
			t.Errorf("%+v is said to be copied", tt.msg)
		}
	}
}

// The full path of the file is shown on any screen.
func TestCopyShowsItsFile(t *testing.T) {
	for _, file := range []string{"/s/copied.md", "/home/ines/.local/state/chatvault/copied.md", "/home/" + strings.Repeat("long/", 40) + "copied.md"} {
		for _, width := range []int{24, 40, 80} {
			b := &board{result: session.Copied{Sent: true, File: file}}
			s := newScreen(t, worked, b.options)
			s.send(tea.WindowSizeMsg{Width: width, Height: 40})
			s.key("ctrl+up", "y")
			all := strings.Map(func(r rune) rune {
				if r == ' ' || r == '\n' {
					return -1
				}
				return r
			}, s.text())
			if !strings.Contains(all, file) {
				t.Errorf("at %d cells %s is not named:\n%s", width, file, s.text())
			}
		}
	}
}

func TestCopyCommand(t *testing.T) {
	b := &board{result: session.Copied{By: "wl-copy"}}
	s := newScreen(t, worked, b.options)
	for _, tt := range []struct{ words, want, says string }{
		{"", "In **June**\x1b.", "the last answer"},
		{"code", "x := 1\ny := 2\n", "the last code block"},
		{"all", "# All of it\n", "the conversation"},
		{"nothing", "", "/copy copies the last answer"},
	} {
		b.texts = nil
		s.run(s.m.copyCommand(tt.words))
		s.m.dirty = true
		s.wants(tt.says)
		if got := b.last(); got != tt.want {
			t.Errorf("/copy %s copies %q", tt.words, got)
		}
	}
	empty := newScreen(t, b.options)
	empty.run(empty.m.copyCommand(""))
	empty.m.dirty = true
	empty.wants("No answer to copy here")
}

// Space and Enter unfold only the selected item.
func TestUnfoldingTheSelectedItem(t *testing.T) {
	s := newScreen(t, worked)
	s.key("ctrl+up", "up", "up", "up")
	s.wants("Enter unfold")
	s.key("enter")
	s.wants("Line 3: the tart", "Enter fold")
	s.send(keys.Press("space"))
	s.lacks("Line 3: the tart")
	s.key("up")
	s.send(keys.Press("space"))
	s.wants("Nothing to unfold here")
}

// forker simulates going back in the conversation.
type forker struct {
	forked     []string
	unfinished []session.Unfinished
	retried    []string
}

func (f *forker) options(o *Options) {
	load := o.Load
	conversationOf(o).history = func(ctx context.Context) ([]session.HistoryItem, error) {
		l, err := load(ctx)
		return l.Items, err
	}
	conversationOf(o).fork = func(_ context.Context, id string) (session.Moved, error) {
		f.forked = append(f.forked, id)
		return session.Moved{Left: 1}, nil
	}
	inboxOf(o).list = func(context.Context) ([]session.Unfinished, error) { return f.unfinished, nil }
	inboxOf(o).retry = func(_ context.Context, id string) error {
		f.retried = append(f.retried, id)
		return nil
	}
	inboxOf(o).drop = inboxOf(o).retry
}

func TestEditingTheSelectedMessage(t *testing.T) {
	f := &forker{}
	s := newScreen(t, worked, f.options)
	s.typeText("a draft")
	s.key("ctrl+up", "e")
	s.wants("your own messages")
	s.key("up", "up", "up", "up")
	s.wants("e edit · r try again")
	s.key("e")
	s.wants("› How is *it* baked?", "Editing")
	s.typeText(" And when?")
	s.key("enter")
	if !slices.Equal(f.forked, []string{"m1"}) || len(s.f.sent) != 1 || s.f.sent[0].Text != "How is *it* baked? And when?" {
		t.Errorf("forked %v, sent %+v", f.forked, s.f.sent)
	}
	s.wants("› a draft")
}

// r goes back to the message of the selected item and sends it again; a failed one is retried.
func TestTryingTheSelectedTurnAgain(t *testing.T) {
	f := &forker{}
	s := newScreen(t, worked, f.options)
	s.key("ctrl+up", "up", "up", "up", "r")
	if !slices.Equal(f.forked, []string{"m1"}) || len(s.f.sent) != 1 || s.f.sent[0].Text != "How is *it* baked?" {
		t.Errorf("forked %v, sent %+v", f.forked, s.f.sent)
	}
	if s.m.selection.Active() {
		t.Error("it is selected still")
	}

	f = &forker{unfinished: []session.Unfinished{{Message: event.Inbound{ID: "m2", Text: "and when?"}}}}
	s = newScreen(t, worked, f.options)
	s.key("ctrl+up", "r")
	if len(f.forked) > 0 || !slices.Equal(f.retried, []string{"m2"}) {
		t.Errorf("forked %v, retried %v", f.forked, f.retried)
	}

	f = &forker{unfinished: []session.Unfinished{{Message: event.Inbound{ID: "m2", Text: "and when?"}, ToolsRan: true}}}
	s = newScreen(t, worked, f.options)
	s.key("ctrl+up", "r")
	if len(f.forked)+len(f.retried) > 0 || s.m.dialogs.Empty() {
		t.Errorf("what changed notes is tried again unasked: forked %v, retried %v", f.forked, f.retried)
	}

	f = &forker{}
	s = newScreen(t, worked, f.options, func(o *Options) {
		conversationOf(o).history = func(context.Context) ([]session.HistoryItem, error) { return nil, nil }
	})
	s.key("ctrl+up", "r")
	s.wants("This is not part of the active conversation")
	s.key("e", "up", "e")
	s.wants("This is not part of the active conversation")
	if len(f.forked)+len(s.f.sent) > 0 {
		t.Error("something was sent")
	}

	s = newScreen(t, worked, f.options)
	s.ask("and the jam?")
	s.key("ctrl+up", "r")
	s.wants("A turn is running")
}

// A turn's messages are found by their ids, including those that joined it.
func TestUserMessageIDs(t *testing.T) {
	items := []session.HistoryItem{
		{Role: session.HistoryUser, Content: "one", ID: "a", Turn: "a"},
		{Role: session.HistoryAssistant, Content: "answer", Turn: "a"},
		{Role: session.HistoryUser, Content: "added", ID: "b", Turn: "a", Added: true},
		{Role: session.HistoryUser, Content: "two", ID: "d", Turn: "d"},
	}
	for id, want := range map[string]string{"a": "a: one\nadded", "b": "a: one\nadded", "d": "d: two", "c": "", "": "", "x": ""} {
		got := ""
		for _, s := range userMessagesIn(items) {
			if slices.Contains(s.ids, id) {
				got += s.id + ": " + s.text
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

// The key that goes back is always shown, however narrow the screen.
func TestSelectionAlwaysShowsEsc(t *testing.T) {
	l, b, f := newLibrary(), &board{}, &forker{}
	s := newScreen(t, worked, f.options, l.options, b.options)
	s.key("ctrl+up")
	for width := 20; width < 200; width++ {
		s.send(tea.WindowSizeMsg{Width: width, Height: 24})
		s.wants("Esc back")
	}
	if it, ok := s.m.selection.Item().(*chat.Assistant); !ok {
		t.Errorf("%T is selected", it)
	}
}

// Golden screens of the footer for each kind of item, and of find, in every theme.
func TestGoldenExploring(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"answer":   func(s *screen) { s.key("ctrl+up", "up", "up") },
		"message":  func(s *screen) { s.key("ctrl+up", "up") },
		"tool":     func(s *screen) { s.key("ctrl+up", "up", "up", "up", "enter") },
		"copied":   func(s *screen) { s.key("ctrl+up", "up", "up", "c") },
		"kept":     func(s *screen) { s.key("ctrl+up", "y") },
		"find":     func(s *screen) { s.key("ctrl+f"); s.typeText("th"); s.key("down") },
		"find-new": func(s *screen) { s.typeText("a draft"); s.key("ctrl+f") },
		"find-no":  func(s *screen) { s.key("ctrl+f"); s.typeText("medlar") },
	}
	for name, scene := range scenes {
		for _, look := range []string{"dark", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
				file := fmt.Sprintf("explore-%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					t.Parallel()
					b, f := &board{result: session.Copied{By: "wl-copy"}}, &forker{}
					if name == "kept" {
						b.result = session.Copied{Sent: true, File: "/home/ines/.local/state/chatvault/copied.md"}
					}
					s := newScreen(t, worked, f.options, b.options, func(o *Options) { o.Theme = look })
					s.send(size)
					scene(s)
					golden.Check(t, file, s.m.View().Content+"\n")
				})
			}
		}
	}
}

// A result that is unfolded alone is shown whole.
func TestUnfoldingALongResult(t *testing.T) {
	b := &board{result: session.Copied{By: "wl-copy"}}
	s := newScreen(t, b.options)
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.ask("read it")
	long := strings.Repeat("a line\n", 40) + "the last"
	s.deliver(event.ToolStarted{ID: "1", Name: "list_files", Target: "Plums"}, event.ToolFinished{ID: "1", Name: "list_files", Summary: "41 files", Result: long}, event.TurnFinished{})
	s.key("ctrl+up", "enter")
	s.lacks("more lines")
	s.wants("Enter fold")
	s.key("y")
	if b.last() != long {
		t.Errorf("copied %d bytes of %d", len(b.last()), len(long))
	}
	s.key("enter")
	s.lacks("a line")
}
