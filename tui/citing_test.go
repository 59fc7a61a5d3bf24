package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/cite"
	"chatvault/internal/base/cells"
	"chatvault/internal/ptytest/golden"
	"chatvault/tui/chat"
	"chatvault/tui/complete"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/selection"
)

// library is a vault whose notes answers refer to.
type library struct {
	notes  map[string]string // by path
	asked  []cite.Reference
	fails  error // the error of Resolve
	edited []string
	opened []cite.Citation
}

func newLibrary() *library {
	return &library{notes: map[string]string{
		"Recipes/Nectarine tart.md": "---\ntags: [baking]\n---\n# Nectarine tart\n\nSix nectarines.\n\n## Baking\n\nBake it blind, 20 minutes at 180 °C.\n\n- butter\n- sugar\n" + strings.Repeat("\nMore of it.\n", 30),
		"Recipes/Plum jam.md":       "# Plum jam\n\nTwo kilos of plums.\n",
	}}
}

func (l *library) options(o *Options) {
	o.Citing = Citing{
		Resolve: l.resolve,
		Link: func(c cite.Citation) string {
			return "obsidian://open?vault=Garden&file=" + strings.ReplaceAll(c.Path, " ", "%20")
		},
		Preview: l.preview,
		Edit: func(_ context.Context, path string, line int) (tea.ExecCommand, error) {
			l.edited = append(l.edited, fmt.Sprintf("%s:%d", path, line))
			return editor{}, nil
		},
		Open: func(_ context.Context, c cite.Citation) error {
			l.opened = append(l.opened, c)
			return nil
		},
	}
}

// editor is a program that exits immediately.
type editor struct{}

func (editor) SetStdin(io.Reader)  {}
func (editor) SetStdout(io.Writer) {}
func (editor) SetStderr(io.Writer) {}
func (editor) Run() error          { return nil }

func (l *library) resolve(_ context.Context, refs []cite.Reference) ([]cite.Destination, error) {
	l.asked = append(l.asked, refs...)
	if l.fails != nil {
		return nil, l.fails
	}
	out := make([]cite.Destination, len(refs))
	for i, r := range refs {
		out[i].State = cite.Missing
		for _, at := range r.Starts() {
			for p := range l.notes {
				if name := r.Target[at:]; p == name || complete.WithoutMD(path.Base(p)) == name {
					out[i] = cite.Destination{Finding: cite.Finding{State: cite.Found, Start: at}, Path: p}
				}
			}
			if out[i].State == cite.Found {
				break
			}
		}
	}
	return out, nil
}

func (l *library) preview(_ context.Context, c cite.Citation) (session.Preview, error) {
	text, ok := l.notes[c.Path]
	if !ok {
		return session.Preview{}, errors.New("it is gone")
	}
	p := session.Preview{Path: c.Path, Text: text, Markdown: true, First: 1, Line: c.Line}
	if c.Anchor != "" {
		before, _, found := strings.Cut(text, "## "+strings.TrimPrefix(c.Anchor, "#"))
		if p.Line = strings.Count(before, "\n") + 1; !found {
			p.Line, p.Note = 0, "There is no heading “"+strings.TrimPrefix(c.Anchor, "#")+"” in it"
		}
	}
	return p, nil
}

// answered runs a turn with the given answer.
func (s *screen) answered(text string) {
	s.t.Helper()
	s.ask("what do I know?")
	s.deliver(event.TextDelta{Text: text}, event.TextDone{Text: text}, event.TurnFinished{})
	s.send(tickMsg{})
}

const twoNotes = "The fullest is [[Nectarine tart#Baking]], see also [[Plum jam]] (Recipes/Plum jam.md:3) and [[Cherry pie]]."

// References that resolve become links; others are marked, in every theme.
func TestCitationsAreResolved(t *testing.T) {
	for _, look := range []string{"dark", "light", "none"} {
		l := newLibrary()
		s := newScreen(t, l.options, func(o *Options) { o.Theme = look })
		s.answered(twoNotes)
		s.wants("is Nectarine tart › Baking, see also Plum jam and Cherry pie?.")
		view := s.m.View().Content
		if n := strings.Count(view, "obsidian://open?vault=Garden&file=Recipes/Plum%20jam.md"); n != 1 {
			t.Errorf("%s: %d links to the jam, want 1: %q", look, n, view)
		}
		if strings.Contains(view, "\x1b_") || strings.Contains(s.text(), "␛") {
			t.Errorf("%s: marks are left: %q", look, view)
		}
		asked := len(l.asked)
		s.send(tickMsg{})
		s.key("pgup", "pgdown")
		if len(l.asked) != asked {
			t.Errorf("%s: asked again: %v", look, l.asked[asked:])
		}
	}
}

// Without terminal links, or before references are resolved, an answer differs only in the links.
func TestCitationsWithoutLinks(t *testing.T) {
	l := newLibrary()
	s := newScreen(t, l.options, func(o *Options) { o.Citing.Link = nil })
	s.answered(twoNotes)
	s.wants("and Cherry pie?.")
	if strings.Contains(s.m.View().Content, "\x1b]8;") {
		t.Error("links on a terminal that has none")
	}
	s = newScreen(t)
	s.answered(twoNotes)
	s.wants("and Cherry pie.")
}

// Only references found by the program are links: a note or a model cannot create one.
func TestForeignLinksAreRemoved(t *testing.T) {
	l := newLibrary()
	l.notes["evil\x1b]8;;http:x\x1b\\.md"] = ""
	s := newScreen(t, l.options)
	s.answered("\x1b]8;;https://evil.example\x1b\\[[Plum jam]]\x1b]8;;\x1b\\ \x1b_R1\x1b\\ [[evil\x1b]8;;http:x\x1b\\]] [[Plum jam|https://bank.example]]")
	view := s.m.View().Content
	if strings.Contains(view, "\x1b]8;;https://evil") || strings.Contains(view, "\x1b_") {
		t.Errorf("%q", view)
	}
	s.wants("https://bank.example (Plum jam)")
}

// After the next turn, references to notes created or deleted since are resolved again.
func TestCitationsAreResolvedAgainAfterATurn(t *testing.T) {
	l := newLibrary()
	s := newScreen(t, l.options)
	s.answered("I could write [[Cherry pie]].")
	s.wants("Cherry pie?.")
	l.notes["Cherry pie.md"] = "# Cherry pie\n"
	s.answered("Done.")
	s.wants("I could write Cherry pie.")
	s.lacks("Cherry pie?")
}

// If resolving fails, references look unchanged and are resolved again after the next turn.
func TestCitationsThatCouldNotBeResolved(t *testing.T) {
	l := newLibrary()
	l.fails = errors.New("no disk")
	s := newScreen(t, l.options)
	s.answered("See [[Cherry pie]].")
	s.wants("See Cherry pie.")
	l.fails = nil
	s.answered("Done.")
	s.wants("See Cherry pie?.")
}

// A long answer is drawn in the background; unresolved references are marked all the same.
func TestCitationsOfALongAnswer(t *testing.T) {
	l := newLibrary()
	s := newScreen(t, l.options)
	s.answered(strings.Repeat("A paragraph that says little.\n\n", 1200) + twoNotes)
	s.wants("A paragraph that says little.", "↓ more below · End")
	s.key("end")
	s.wants("Cherry pie?.")
	if !strings.Contains(s.m.View().Content, "obsidian://open") {
		t.Error("no link")
	}
}

// Citations also work in a reader.
func TestCitationsOfAConversationThatIsRead(t *testing.T) {
	l := newLibrary()
	s := newScreen(t, l.options)
	column := list.New(chat.Gap)
	column.Append(s.m.talk.historyItems([]session.HistoryItem{{Role: session.HistoryAssistant, Content: "See [[Plum jam]] and [[Cherry pie]]."}})...)
	s.m.dialogs.Push(dialog.NewReader(s.m.styles, "Jam", "", column, []dialog.Choice{{Label: "Back", Safe: true}}, nil, false))
	s.send(tickMsg{})
	s.wants("See Plum jam and Cherry pie?.")
	if !strings.Contains(s.m.View().Content, "obsidian://open") {
		t.Error("no link")
	}
}

// The selection moves item by item, is marked, and ends by Esc, by typing and beyond the last item.
func TestSelecting(t *testing.T) {
	l := newLibrary()
	s := newScreen(t, l.options)
	s.answered("The first answer.")
	s.answered("The second answer.")
	at := func() string { return selectedText(s) }
	for _, step := range []struct{ key, want string }{
		{"ctrl+up", "The second answer."},
		{"ctrl+up", "what do I know?"},
		{"ctrl+up", "The first answer."},
		{"ctrl+down", "what do I know?"},
		{"down", "The second answer."},
		{"up", "what do I know?"},
		{"down", "The second answer."},
		{"ctrl+down", ""},
		{"ctrl+down", ""},
		{"ctrl+up", "The second answer."},
		{"esc", ""},
	} {
		s.key(step.key)
		if got := at(); got != step.want {
			t.Fatalf("after %s %q is selected, want %q:\n%s", step.key, got, step.want, s.text())
		}
	}
	s.key("ctrl+up")
	s.typeText("n")
	s.typeText("ew")
	if at() != "" || s.m.composer.Value() != "new" {
		t.Errorf("%q is selected, %q is written", at(), s.m.composer.Value())
	}
	s.key("ctrl+up")
	s.send(keys.Paste(" e o"))
	if at() != "" || s.m.composer.Value() != "new e o" {
		t.Errorf("%q is selected, %q is written", at(), s.m.composer.Value())
	}
}

// shownTime matches the time of a message.
var shownTime = regexp.MustCompile(` {2,}\d+:\d\d [AP]M$`)

// selectedText returns the rows next to the selection mark, without the time.
func selectedText(s *screen) string {
	var rows []string
	for _, line := range strings.Split(s.text(), "\n") {
		if before, rest, ok := strings.Cut(line, selection.Mark); ok && strings.TrimSpace(before) == "" && !strings.Contains(rest, "Esc back") {
			rest = shownTime.ReplaceAllString(rest, "")
			rows = append(rows, strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(rest), "▌◆│")))
		}
	}
	return strings.Join(rows, " ")
}

// The selected item is scrolled into view, and a running turn does not move it.
func TestSelectedItemStaysVisible(t *testing.T) {
	s := newScreen(t)
	for i := range 30 {
		s.answered(fmt.Sprintf("Answer %d.", i))
	}
	for range 40 {
		s.key("ctrl+up")
	}
	if got := selectedText(s); got != "what do I know?" {
		t.Fatalf("%q is selected:\n%s", got, s.text())
	}
	s.wants("Answer 10.")
	s.key("ctrl+up")
	s.wants("Answer 9.")
	before := s.text()
	s.deliver(event.TurnStarted{MessageIDs: []string{"x"}}, event.TextDelta{Text: strings.Repeat("streaming ", 400)})
	above := func(text string) int {
		rows, _, _ := strings.Cut(text, "Answer 10.")
		return strings.Count(rows, "\n")
	}
	if above(before) != above(s.text()) {
		t.Errorf("what is read moved:\n%s\nbefore:\n%s", s.text(), before)
	}
	s.key("esc")
	if s.f.stopped() != 0 {
		t.Error("Esc stopped the turn before it let go of what is selected")
	}
	s.key("esc")
	if s.f.stopped() != 1 {
		t.Error("the second Esc did not stop the turn")
	}
}

// An item that leaves the transcript is deselected.
func TestRemovedItemIsDeselected(t *testing.T) {
	s := newScreen(t)
	s.ask("hello")
	s.deliver(event.TextDelta{Text: "Half an answer"})
	s.key("ctrl+up")
	if selectedText(s) != "Half an answer" {
		t.Fatal(s.text())
	}
	s.deliver(event.Retry{Attempt: 2})
	s.send(tickMsg{})
	if s.m.selection.Active() {
		t.Error("what is gone is still selected")
	}
}

// Citations are visited in reading order, with a more precise one replacing its predecessor; Shift+Tab in the
// composer starts with those of the last answer.
func TestGoingThroughCitations(t *testing.T) {
	l := newLibrary()
	s := newScreen(t, l.options)
	s.answered(twoNotes)
	s.answered("Nothing more.")
	var got []string
	step := func(key string) {
		s.key(key)
		c, ok := s.m.selection.Chosen()
		if !ok {
			t.Fatalf("after %s nothing is chosen:\n%s", key, s.text())
		}
		got = append(got, fmt.Sprintf("%s%s:%d", c.Path, c.Anchor, c.Line))
		if n := strings.Count(s.m.View().Content, "\x1b[7;"); n == 0 {
			t.Errorf("after %s nothing is marked: %q", key, s.m.View().Content)
		}
	}
	for _, key := range []string{"shift+tab", "tab", "tab", "shift+tab", "tab"} {
		step(key)
	}
	tart, jam := "Recipes/Nectarine tart.md#Baking:0", "Recipes/Plum jam.md:3"
	if want := []string{tart, jam, tart, jam, tart}; !slices.Equal(got, want) {
		t.Errorf("went through %v, want %v", got, want)
	}
	s.key("esc")
	if s.m.selection.Active() {
		t.Error("Esc did not leave")
	}

	s = newScreen(t, l.options)
	s.answered("Nothing to cite.")
	s.key("shift+tab")
	s.wants("No answer here refers to a note")
	s.key("ctrl+up", "tab")
	s.wants("No note is mentioned here")
}

// Enter shows the note at the heading or line; Esc returns to the previous place.
func TestPreview(t *testing.T) {
	l := newLibrary()
	s := newScreen(t, l.options)
	s.answered(twoNotes)
	s.key("shift+tab", "enter")
	s.wants("Nectarine tart", "Recipes/Nectarine tart.md:8", "▎ Baking", "Bake it blind", "e editor", "o Obsidian", "Tab next note")
	s.lacks("Two kilos")
	for range 8 {
		s.key("pgdown")
	}
	s.lacks("Bake it blind")
	s.key("home")
	s.wants("Six nectarines.")
	s.key("tab")
	s.wants("Plum jam", "Recipes/Plum jam.md:3", "▎ Two kilos of plums.")
	s.key("esc")
	s.lacks("Two kilos")
	if c, _ := s.m.selection.Chosen(); !s.m.selection.Active() || c.Path != "Recipes/Plum jam.md" {
		t.Errorf("back at %+v", c)
	}
	delete(l.notes, "Recipes/Plum jam.md")
	s.key("enter")
	s.wants("Recipes/Plum jam.md could not be read: it is gone")
}

// Text typed above a preview goes to the composer, including the preview's letters, and Enter sends it.
func TestTypingOverAPreview(t *testing.T) {
	l := newLibrary()
	s := newScreen(t, l.options)
	s.answered(twoNotes)
	s.key("shift+tab", "enter")
	for _, r := range "make one" {
		s.key(string(r))
	}
	s.wants("› make one", "Bake it blind", "Enter to send your text")
	if len(l.edited)+len(l.opened) > 0 {
		t.Errorf("typing opened %v %v", l.edited, l.opened)
	}
	s.key("enter")
	if n := len(s.f.sent); n != 2 || s.f.sent[1].Text != "make one" {
		t.Errorf("sent %v", s.f.sent)
	}
	s.lacks("Bake it blind") // the sent message and the answer must be visible
}

// e opens the editor at the line, from the preview and from the transcript; o opens Obsidian.
func TestOpeningElsewhere(t *testing.T) {
	l := newLibrary()
	s := newScreen(t, l.options)
	s.answered(twoNotes)
	s.key("shift+tab", "e")
	s.key("enter", "e", "o", "esc", "tab", "e", "o")
	if want := []string{"Recipes/Nectarine tart.md:8", "Recipes/Nectarine tart.md:8", "Recipes/Plum jam.md:3"}; !slices.Equal(l.edited, want) {
		t.Errorf("edited %v, want %v", l.edited, want)
	}
	if len(l.opened) != 2 || l.opened[0].Anchor != "#Baking" || l.opened[1].Path != "Recipes/Plum jam.md" {
		t.Errorf("opened %+v", l.opened)
	}
	s.wants("Opening in Obsidian: Recipes/Plum jam.md")
	s.m.o.Citing.Edit = func(context.Context, string, int) (tea.ExecCommand, error) {
		return nil, errors.New("No editor was found. Set EDITOR.")
	}
	s.key("e")
	s.wants("No editor was found. Set EDITOR.")
}

// A missing heading is reported, and the note is shown from its beginning.
func TestPreviewOfAHeadingThatIsGone(t *testing.T) {
	l := newLibrary()
	s := newScreen(t, l.options)
	s.answered("See [[Plum jam#Sugar]].")
	s.key("shift+tab", "enter")
	s.wants("There is no heading “Sugar” in it", "Two kilos of plums.")
}

// A long note is drawn in the background, and the line is visible before and after.
func TestPreviewOfALongNote(t *testing.T) {
	l := newLibrary()
	l.notes["Long.md"] = strings.Repeat("A line of **many** words, which wraps around in a narrow window.\n\n", 900) + "the needle\n" + strings.Repeat("\nAnd on.\n", 300)
	s := newScreen(t, l.options)
	s.answered("It is in (Long.md:1801).")
	s.key("shift+tab", "enter")
	s.wants("▎ the needle")
	s.send(tea.WindowSizeMsg{Width: 46, Height: 16})
	s.wants("▎ the needle")
	s.key("up", "up")
	s.wants("▎ the needle")
}

// Golden screens at every width and in every theme.
func TestGoldenCitations(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"cited":    func(s *screen) { s.answered(twoNotes) },
		"selected": func(s *screen) { s.answered(twoNotes); s.key("ctrl+up", "ctrl+up") },
		"chosen":   func(s *screen) { s.answered(twoNotes); s.key("shift+tab", "tab") },
		"preview":  func(s *screen) { s.answered(twoNotes); s.key("shift+tab", "enter") },
	}
	for name, scene := range scenes {
		for _, look := range []string{"dark", "light", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
				file := fmt.Sprintf("cite-%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					t.Parallel()
					l := newLibrary()
					s := newScreen(t, l.options, func(o *Options) { o.Theme, o.Citing.Link = look, nil })
					s.send(size)
					scene(s)
					golden.Check(t, file, s.m.View().Content+"\n")
				})
			}
		}
	}
	if w := cells.Width(selection.Mark); w != 1 {
		t.Errorf("the focus mark is %d cells wide", w)
	}
}

// On a screen without margins the mark replaces the first cell of an item, and no line is too long at any size.
func TestSelectingOnANarrowScreen(t *testing.T) {
	l := newLibrary()
	for _, size := range []tea.WindowSizeMsg{{Width: 20, Height: 12}, {Width: 29, Height: 8}, {Width: 8, Height: 5}, {Width: 3, Height: 3}} {
		s := newScreen(t, l.options)
		s.answered(twoNotes)
		s.send(size)
		for _, keys := range [][]string{{"shift+tab"}, {"ctrl+up"}, {"shift+tab", "enter"}} {
			s.key("esc", "esc")
			s.key(keys...)
			for i, line := range strings.Split(s.text(), "\n") {
				if w := cells.Width(line); w > size.Width {
					t.Errorf("%v, %v: line %d is %d cells wide: %q", size, keys, i, w, line)
				}
			}
			if size.Height >= 8 && keys[len(keys)-1] != "enter" && !strings.Contains(s.text(), selection.Mark) {
				t.Errorf("%v, %v: nothing is marked:\n%s", size, keys, s.text())
			}
		}
	}
}
