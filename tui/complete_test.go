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
	"chatvault/tui/complete"
	"chatvault/tui/loop"

	"chatvault/tui/keys"
)

// garden is a fake complete.Vault.
type garden struct {
	files []session.VaultFile
	said  session.NoteWords
	asked []string // by Find
	calls int      // to Files
}

func newGarden() *garden {
	return &garden{
		files: []session.VaultFile{
			{Path: "Recipes/Nectarine tart.md", Size: 2456},
			{Path: "Recipes", Folder: true, Size: 2},
			{Path: "Recipes/Plum jam.md", Size: 812},
			{Path: "Garden plan.md", Size: 5 << 20},
			{Path: "Old/Plum jam.md", Size: 10},
			{Path: "pear.png", Size: 40_000},
		},
		said: session.NoteWords{
			Aliases: []session.NoteAlias{{Path: "Recipes/Nectarine tart.md", Alias: "Stone fruit pie"}},
			Tags:    []string{"recipe", "garden/beds", "todo"},
		},
	}
}

func (g *garden) options(o *Options) {
	o.Completing = &fakeVault{
		files: func(context.Context) ([]session.VaultFile, error) { g.calls++; return slices.Clone(g.files), nil },
		said:  func(context.Context) (session.NoteWords, error) { return g.said, nil },
		headings: func(_ context.Context, note string) ([]string, error) {
			return []string{"Filling of " + note, "Bake [it]"}, nil
		},
		find: func(_ context.Context, paths []string) (map[string]session.VaultFile, error) {
			g.asked = append(g.asked, paths...)
			out := map[string]session.VaultFile{}
			for _, p := range paths {
				for _, f := range g.files {
					if strings.EqualFold(f.Path, strings.TrimSuffix(p, "/")) {
						out[p] = f
					}
				}
			}
			return out, nil
		},
		locate: func(_ context.Context, dropped string) (session.VaultFile, string) {
			for _, f := range g.files {
				if strings.HasSuffix(dropped, "/notes/"+f.Path) || strings.Contains(dropped, "file=Garden") && f.Path == "Garden plan.md" {
					return f, ""
				}
			}
			return session.VaultFile{}, "It is elsewhere."
		},
	}
}

// types types text key by key.
func (s *screen) types(text string) {
	for _, r := range text {
		s.send(keys.Typed(string(r)))
	}
}

func (s *screen) pastes(text string) {
	s.send(keys.Paste(text))
}

func (s *screen) written(want string) {
	s.t.Helper()
	if got := s.m.composer.Value(); got != want {
		s.t.Fatalf("%q is written, want %q\n%s", got, want, s.text())
	}
}

func TestCompletion(t *testing.T) {
	for _, tt := range []struct {
		typed string
		keys  []string
		shows []string
		want  string
	}{
		{"see [[tart", []string{"enter"}, []string{"▸ Recipes/Nectarine tart"}, "see [[Nectarine tart]]"},
		{"see [[stone", []string{"tab"}, []string{"▸ Stone fruit pie", "→ Recipes/Nectarine tart"}, "see [[Nectarine tart|Stone fruit pie]]"},
		{"[[plum", []string{"enter"}, []string{"▸ Old/Plum jam", "Recipes/Plum jam"}, "[[Old/Plum jam]]"}, // two notes have this name
		{"[[plum", []string{"down", "enter"}, nil, "[[Recipes/Plum jam]]"},
		{"[[plum", []string{"up", "enter"}, nil, "[[Recipes/Plum jam]]"},
		{"[[pear", []string{"enter"}, []string{"▸ pear.png"}, "[[pear.png]]"},
		{"[[Garden plan#", []string{"enter"}, []string{"▸ Filling of Garden plan", "Bake it"}, "[[Garden plan#Filling of Garden plan]]"},
		{"[[Garden plan#bak", []string{"enter"}, nil, "[[Garden plan#Bake it]]"},
		{"read @tart", []string{"enter"}, []string{"▸ Recipes/Nectarine tart.md", "2.4 KB"}, `read @"Recipes/Nectarine tart.md" `},
		{"all of @rec", []string{"enter"}, []string{"▸ Recipes/", "2 items"}, "all of @Recipes/ "},
		{"#gar", []string{"tab"}, []string{"▸ #garden/beds"}, "#garden/beds "},
		{"/undo", nil, nil, "/undo"},
		{"/qu", []string{"tab"}, []string{"▸ /quit", "quit chatvault"}, "/quit"},
		{"/pl", []string{"enter"}, []string{"▸ /plan", "TEXT · ask for a plan first"}, "/plan "},
	} {
		s := newScreen(t, newGarden().options)
		s.types(tt.typed)
		s.wants(tt.shows...)
		if tt.keys != nil {
			s.wants("Esc")
		}
		s.key(tt.keys...)
		s.written(tt.want)
		s.lacks("▸")
		if len(s.f.sent) > 0 {
			t.Fatalf("%q was sent", tt.typed)
		}
	}
}

// Esc closes only the completion; it stays closed for this name, and Enter sends.
func TestEscClosesCompletion(t *testing.T) {
	s := newScreen(t, newGarden().options)
	s.ask("hello")
	s.types("see [[pl")
	s.wants("▸ Old/Plum jam")
	s.key("esc")
	s.lacks("▸")
	if s.f.stopped() > 0 {
		t.Error("it stopped the turn")
	}
	s.written("see [[pl")
	s.types("u")
	s.lacks("▸")
	s.types(" and [[p")
	s.wants("▸")
	s.key("esc")
	s.key("enter")
	if len(s.f.sent) != 2 || s.f.sent[1].Text != "see [[plu and [[p" {
		t.Errorf("sent %+v", s.f.sent)
	}
}

// A completely typed name does not prevent sending.
func TestEnterSendsACompleteName(t *testing.T) {
	for _, text := range []string{"all of #recipe", "see @pear.png", "nothing like #it", "mail me@home"} {
		s := newScreen(t, newGarden().options)
		s.types(text)
		s.key("enter")
		if len(s.f.sent) != 1 || s.f.sent[0].Text != text {
			t.Errorf("%q: sent %+v, %q is written", text, s.f.sent, s.m.composer.Value())
		}
	}
	s := newScreen(t)
	s.types("/quit")
	s.key("enter")
	if !s.quit {
		t.Error("/quit does not run")
	}
}

// Leaving the name closes the completion, and so does a dialog over it.
func TestCompletionCloses(t *testing.T) {
	for name, leave := range map[string]func(*screen){
		"a new line":  func(s *screen) { s.key("ctrl+j") },
		"to the left": func(s *screen) { s.key("home") },
		"a paste":     func(s *screen) { s.pastes("x y z") },
		"the help":    func(s *screen) { s.key("f1"); s.key("esc") },
		"a bracket":   func(s *screen) { s.types("]]") },
		"nothing":     func(s *screen) { s.types("qqq") },
		"clearing it": func(s *screen) { s.key("ctrl+c") },
		"a search":    func(s *screen) { s.key("ctrl+r"); s.key("esc") },
	} {
		s := newScreen(t, newGarden().options)
		s.types("[[pl")
		s.wants("▸")
		leave(s)
		if s.m.completion.Active() {
			t.Errorf("%s: still open\n%s", name, s.text())
		}
	}
}

// Names that arrive late are matched against the current text.
func TestLateNamesUseTheCurrentText(t *testing.T) {
	g := newGarden()
	s := newScreen(t, g.options)
	var late []tea.Cmd
	for _, r := range "[[plum" {
		_, cmd := s.m.Update(keys.Typed(string(r)))
		late = append(late, cmd)
	}
	if s.m.completion.Active() {
		t.Fatal("something is offered before anything is known")
	}
	for _, cmd := range late {
		s.run(cmd)
	}
	s.wants("▸ Old/Plum jam")
	s.lacks("Nectarine")
	if g.calls != 1 {
		t.Errorf("the vault was listed %d times", g.calls)
	}
	g.files = append(g.files, session.VaultFile{Path: "Plum/More plums.md"})
	s.types("s]] and [[plums") // names are read again for a new name
	s.wants("▸ Plum/More plums")
}

func TestCompletionIsNotOfferedForWhatComesBack(t *testing.T) {
	s := newScreen(t, newGarden().options)
	s.m.composer.SetHistory([]string{"see [[plum"})
	s.key("up")
	s.written("see [[plum")
	s.lacks("▸")
	s.send(keyOf("left"))
	s.lacks("▸")
}

func TestCompletionInASmallWindow(t *testing.T) {
	for _, size := range []tea.WindowSizeMsg{{Width: 20, Height: 5}, {Width: 12, Height: 8}, {Width: 40, Height: 10}, {Width: 6, Height: 3}} {
		s := newScreen(t, newGarden().options)
		s.send(size)
		s.types("[[p")
		lines := strings.Split(s.m.View().Content, "\n")
		if len(lines) != size.Height || !strings.Contains(s.text(), "[p") && size.Width > 6 {
			t.Errorf("%+v:\n%s", size, s.text())
		}
	}
}

// Attachments are shown with their size and sent with the message, unlike text that only resembles a mention.
func TestAttaching(t *testing.T) {
	g := newGarden()
	s := newScreen(t, g.options)
	s.types("compare @Recipes/ with @pear.png and @nobody")
	s.wants("+ Recipes/ 2 items · pear.png 39.1 KB")
	s.types(" please")
	s.lacks("nobody ·")
	s.key("enter")
	got := s.f.sent[0]
	if want := []string{"Recipes", "pear.png"}; !slices.Equal(got.Attach, want) {
		t.Errorf("%q goes with it, want %q", got.Attach, want)
	}
	if got.Text != "compare @Recipes/ with @pear.png and @nobody please" {
		t.Errorf("sent %q", got.Text)
	}
	s.lacks("+ Recipes")
}

// Mentions not looked up in time are sent by name.
func TestAttachingWhatIsTypedLast(t *testing.T) {
	s := newScreen(t, newGarden().options)
	s.types("see @pear.pn")
	s.key("esc")
	s.types("g")
	s.key("enter")
	if len(s.f.sent) != 1 || !slices.Equal(s.f.sent[0].Attach, []string{"pear.png"}) {
		t.Fatalf("sent %+v", s.f.sent)
	}
}

func TestManyAttachmentsFitOneRow(t *testing.T) {
	g := newGarden()
	var text strings.Builder
	for i := range 30 {
		name := fmt.Sprintf("Notes/A rather long name of a note %d.md", i)
		g.files = append(g.files, session.VaultFile{Path: name, Size: 1000})
		text.WriteString(complete.Mention(name) + " ")
	}
	s := newScreen(t, g.options)
	s.send(tea.WindowSizeMsg{Width: 60, Height: 24})
	s.typeText(text.String() + "x")
	s.wants("…er long name of a note 0.md 1000 B · …")
	s.key("enter")
	if n := len(s.f.sent[0].Attach); n != 20 {
		t.Errorf("%d go with it", n)
	}
}

// An edited message takes its attachments along, and one that is taken back shows them again.
func TestAttachmentsComeBack(t *testing.T) {
	s := newScreen(t, newGarden().options)
	s.ask("hello")
	s.typeText("and @pear.png too")
	s.key("enter")
	s.deliver(event.Received{Message: s.f.sent[1]})
	s.lacks("+ pear.png")
	s.key("up")
	s.wants("+ pear.png 39.1 KB")
	s.key("enter")
	if got := s.f.sent[2].Attach; !slices.Equal(got, []string{"pear.png"}) {
		t.Errorf("%q", got)
	}
}

func TestDroppedPaths(t *testing.T) {
	for _, tt := range []struct{ pasted, want, hint string }{
		{"'/home/me/notes/Recipes/Plum jam.md' ", `look at @"Recipes/Plum jam.md" `, ""},
		{`/home/me/notes/Recipes/Plum\ jam.md`, `look at @"Recipes/Plum jam.md" `, ""},
		{"file:///home/me/notes/pear.png", "look at @pear.png ", ""},
		{"/home/me/notes/pear.png /home/me/notes/Recipes", "look at @pear.png @Recipes/ ", ""},
		{"/home/me/notes/pear.png\r/home/me/notes/Recipes\r", "look at @pear.png @Recipes/ ", ""},
		{"file:///home/me/notes/pear.png\r\nfile:///home/me/notes/Recipes\r\nfile:///home/me/notes/pear.png", "look at @pear.png @Recipes/ @pear.png ", ""},
		{"obsidian://open?vault=Notes&file=Garden%20plan%23Beds", "look at [[Garden plan]] ", ""},
		{"/etc/passwd", "look at /etc/passwd", "It is elsewhere."},
		{"/home/me/notes/pear.png /etc/passwd", "look at /home/me/notes/pear.png /etc/passwd", "It is elsewhere."},
		{"and/or", "look at and/or", ""},
	} {
		s := newScreen(t, newGarden().options)
		s.typeText("look at ")
		s.pastes(tt.pasted)
		s.written(tt.want)
		if tt.hint != "" {
			s.wants(tt.hint)
		}
		if len(s.f.sent) > 0 {
			t.Errorf("%q was sent", tt.pasted)
		}
	}
}

// Pasted lines are never sent, whatever they contain.
func TestAPasteNeverSends(t *testing.T) {
	s := newScreen(t)
	s.typeText("see ")
	for _, text := range []string{"/quit\n", "hello\n", "a\rb\r", strings.Repeat("x\n", 500)} {
		s.pastes(text)
	}
	if s.quit || len(s.f.sent) > 0 {
		t.Fatalf("quit %v, sent %v", s.quit, s.f.sent)
	}
	s.wants("[Pasted 500 lines]", "Ctrl+X shows all of it")
	want := s.m.composer.Value()
	s.key("enter")
	if len(s.f.sent) != 1 || s.f.sent[0].Text != strings.TrimRight(want, "\n") {
		t.Errorf("%d bytes sent of %d", len(s.f.sent[0].Text), len(want))
	}
}

func TestSearchingThePromptHistory(t *testing.T) {
	s := newScreen(t)
	s.m.composer.SetHistory([]string{"plant the plums", "water the beds", "prune the plums"})
	s.typeText("a draft")
	s.key("ctrl+r")
	s.typeText("plum")
	s.wants("prune the plums", "plant the plums", "Enter to edit it")
	s.lacks("water the beds")
	s.key("esc")
	s.written("a draft")
	s.key("ctrl+r")
	s.typeText("beds")
	s.key("enter")
	s.written("water the beds")
	if len(s.f.sent) > 0 {
		t.Fatal("it was sent")
	}
	s.key("down", "down")
	s.written("a draft")
	s.key("ctrl+r")
	s.pastes("plant")
	s.wants("plant the plums")
	s.lacks("prune the plums")
}

// editorRun is an editor whose behaviour a test defines.
type editorRun struct {
	tea.ExecCommand
	run func() error
}

func (c editorRun) Run() error { return c.run() }

func TestWritingInAnEditor(t *testing.T) {
	for name, tt := range map[string]struct {
		left string
		fail error
		open error
		want string
		says string
	}{
		"saved":       {left: "better\nwords\n", want: "better\nwords"},
		"unchanged":   {left: "my draft\n", want: "my draft"},
		"emptied":     {left: "", want: ""},
		"it failed":   {left: "half", fail: errors.New("exit status 1"), want: "my draft", says: "your text is unchanged: exit status 1"},
		"none there":  {open: errors.New("no editor was found: set $EDITOR"), want: "my draft", says: "No editor was found"},
		"carriage":    {left: "a\r\nb\r\n", want: "a\nb"},
		"escapes out": {left: "a\x1b[2Jb", want: "a␛[2Jb"},
	} {
		t.Run(name, func(t *testing.T) {
			var lent string
			saved := ""
			s := newScreen(t, func(o *Options) {
				draftsOf(o).save = func(text string) { saved = text }
				o.EditDraft = func(_ context.Context, text string) (tea.ExecCommand, func(bool) (string, error), error) {
					lent = text
					return editorRun{run: func() error { return tt.fail }}, func(bool) (string, error) { return tt.left, nil }, tt.open
				}
			})
			s.typeText("my draft")
			_, cmd := s.m.Update(keyOf("ctrl+o"))
			if tt.open == nil { // Bubble Tea runs the editor
				_, ok := comesOf[loop.Do](cmd)
				s.run(s.m.editedDraft("my draft", tt.left, tt.fail))
				if s.m.dirty = true; !ok {
					t.Error("no editor is run")
				}
			} else {
				why, _ := comesOf[hintMsg](cmd)
				s.send(why)
			}
			if lent != "my draft" || saved != "my draft" {
				t.Fatalf("lent %q, saved %q", lent, saved)
			}
			s.written(tt.want)
			if tt.says != "" {
				s.wants(tt.says)
			}
		})
	}
}

// TestPastePicture: a key attaches the picture in the clipboard, and so does a paste without text; the text is
// unchanged.
func TestPastePicture(t *testing.T) {
	there := true
	s := newScreen(t, func(o *Options) {
		o.Completing = &fakeVault{}
		o.Copying = &fakeCopying{picture: func(context.Context) ([]byte, error) {
			if there {
				return []byte("pixels"), nil
			}
			return nil, errors.New("the clipboard holds no picture")
		}}
	})
	s.typeText("what is on ")
	s.key("ctrl+v")
	s.written("what is on @clipboard.png ")
	s.pastes("")
	s.written("what is on @clipboard.png @clipboard.png ")
	there = false
	s.pastes("")
	s.lacks("holds no picture")
	s.key("ctrl+v")
	s.wants("The clipboard holds no picture")
	s.written("what is on @clipboard.png @clipboard.png ")
}

// comesOf runs a command and returns its message of the given type.
func comesOf[T tea.Msg](cmd tea.Cmd) (msg T, ok bool) {
	if cmd == nil {
		return msg, false
	}
	switch got := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range got {
			if msg, ok := comesOf[T](c); ok {
				return msg, true
			}
		}
	case T:
		return got, true
	}
	return msg, false
}

// Golden screens of completion, at three widths and without colours.
func TestGoldenCompletion(t *testing.T) {
	for name, scene := range map[string]func(*screen){
		"offered-notes":    func(s *screen) { s.types("see [[p"); s.key("down") },
		"offered-files":    func(s *screen) { s.typeText("with @pear.png and "); s.types("@jam") },
		"offered-commands": func(s *screen) { s.types("/") },
		"recalled": func(s *screen) {
			s.m.composer.SetHistory([]string{"Which plums are ripe?\nAnd which are not?"})
			s.key("ctrl+r")
			s.typeText("PLUM")
		},
		"pasted": func(s *screen) {
			s.typeText("what is in ")
			s.pastes(strings.Repeat("a line\n", 500))
			s.typeText(" and @pear.png ")
		},
	} {
		for _, look := range []string{"dark", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
				file := fmt.Sprintf("%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					s := newScreen(t, newGarden().options, func(o *Options) { o.Theme = look })
					s.send(size)
					scene(s)
					golden.Check(t, file, s.m.View().Content+"\n")
				})
			}
		}
	}
}

// The sentences of the embedded engine are offered while one is typed; Enter sends the typed text, Tab accepts a
// sentence.
func TestFormsAreOffered(t *testing.T) {
	offline := true
	options := func(o *Options) {
		newGarden().options(o)
		o.Offline, o.Forms = offline, []string{`add "TEXT" to NOTE`, "add tag TAG to NOTE", "delete NOTE"}
	}
	s := newScreen(t, options)
	s.types("Add")
	s.wants(`add "TEXT" to NOTE`)
	s.wants("add tag TAG to NOTE")
	s.lacks("delete NOTE")
	s.types(" t")
	s.lacks(`add "TEXT" to NOTE`)
	s.key("tab")
	s.written("add tag TAG to NOTE")
	s.m.composer.SetValue("")
	s.types("delete")
	s.wants("delete NOTE")
	s.types("d")
	s.lacks("delete NOTE")
	offline = false
	s = newScreen(t, options)
	s.types("add")
	s.lacks("NOTE")
}
