package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent"
	"chatvault/conversation"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
	"chatvault/internal/app/session/provider"
	"chatvault/vault"
)

// forkable returns a session with a journal and a conversation of turns t1 to t4: t2 wrote notes, t3 edited and
// deleted some, and a stopped turn in between wrote one.
func forkable(t *testing.T) (a *Session, dir string) {
	t.Helper()
	c, dir := cited(t, map[string]string{"a.md": "one\n", "b.md": "two\n", "c.md": "three\n"})
	state, err := home.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	a = &Session{vault: c.vault, folders: folders{state: state}, journal: home.KeepJournal(c.vault, config.Defaults(), func(text string) { t.Error(text) }), config: config.Defaults(), log: home.Discard()}
	a.windows.state = state
	a.manager = conversation.NewManager(state, conversation.Options{})
	a.processor, err = agent.New(agent.Options{Root: state, Conversations: a.manager})
	if err != nil {
		t.Fatal(err)
	}
	a.initParts(Options{Sources: config.Sources{LookupEnv: func(string) (string, bool) { return "", false }}}, provider.NewFinder(a.config, func(string) (string, bool) { return "", false }, a.Log()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := a.processor.Close(ctx); err != nil {
			t.Error(err)
		}
		_ = a.journal.Close()
		_ = state.Close()
	})
	change := func(turn string, do func(context.Context) error) {
		t.Helper()
		if err := do(vault.WithOrigin(t.Context(), vault.Origin{Turn: turn, Source: "chat", Title: turn, Conversation: talkID})); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := a.vault.Do(ctx, vault.Request{Op: vault.OpWrite, Path: path, Data: []byte(text)}, nil)
			return err
		}
	}
	began := time.Now()
	record := func(i int, changed string) {
		t.Helper()
		id := fmt.Sprint("t", i)
		x := talk(id, 0, "question "+id, "answer "+id)
		x.Started, x.Ended = began, time.Now()
		if changed != "" {
			x.Messages = append(x.Messages, conversation.Message{Role: conversation.RoleTool, ToolName: "write_file", Content: changed})
		}
		if err := a.manager.Append(talkID, x); err != nil {
			t.Fatal(err)
		}
		began = time.Now()
	}
	record(1, "")
	change("t2", write("New.md", "new\n"))
	record(2, `Created file "New.md".`)
	change("stopped", write("c.md", "of a turn that was stopped\n"))
	began = time.Now()
	change("t3", write("a.md", "one and more\n"))
	change("t3", func(ctx context.Context) error {
		_, err := a.vault.Do(ctx, vault.Request{Op: vault.OpDelete, Path: "b.md"}, nil)
		return err
	})
	record(3, `Overwrote file "a.md".`)
	record(4, "")
	for _, id := range []string{"t2", "stopped", "t3"} {
		if err := a.vault.History.EndTurn(id); err != nil {
			t.Fatal(err)
		}
	}
	return a, dir
}

func notesOf(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	for _, name := range []string{"New.md", "a.md", "b.md", "c.md"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			data = []byte("-")
		}
		out = append(out, strings.TrimSpace(string(data)))
	}
	return strings.Join(out, ", ")
}

// ForkBack undoes exactly the changes of the turns that are left.
func TestForkUndoes(t *testing.T) {
	a, dir := forkable(t)
	for id, want := range map[string]string{"t4": "", "t3": "t3", "t2": "t3 stopped t2", "t1": "t3 stopped t2", "nothing": ""} {
		r, err := a.Conversations.Reach(t.Context(), id)
		if err != nil || strings.Join(r.Turns, " ") != want {
			t.Errorf("%s reaches %q, want %q: %v", id, r.Turns, want, err)
		}
		if id == "t3" && (r.Notes != 2 || !slices.Equal(r.Back, []string{"b.md comes back", "a.md is restored"})) {
			t.Errorf("%+v", r)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := a.Conversations.ForkBack(t.Context(), "t2", []string{"t3", "stopped", "t2"})
	if err != nil {
		t.Fatal(err)
	}
	if m.Left != 3 || len(m.Changed) != 0 || len(m.Back) != 3 || len(m.Kept) != 1 ||
		!strings.Contains(m.Kept[0], "a.md") || !strings.Contains(m.Kept[0], "/changes") || strings.Contains(m.Kept[0], "chatvault") {
		t.Errorf("%+v", m)
	}
	if got := notesOf(t, dir); got != "-, by hand, two, three" {
		t.Errorf("the notes are %s", got)
	}
	c, err := a.manager.Active()
	if err != nil || len(c.Turns) != 1 || len(c.Branches()) != 1 {
		t.Errorf("%+v %v", c.Turns, err)
	}
	// The agent is told of the stopped turn only: it does not know of the others.
	notes, err := os.ReadFile(filepath.Join(stateOf(t, dir), "state.json"))
	if err != nil || strings.Count(string(notes), "undid") != 1 || !strings.Contains(string(notes), "“stopped”") {
		t.Errorf("%s %v", notes, err)
	}
}

// A note changed by two of the turns, and by hand since, is named once.
func TestForkListsNoteOnce(t *testing.T) {
	a, dir := forkable(t)
	ctx := vault.WithOrigin(t.Context(), vault.Origin{Turn: "t4", Source: "chat", Title: "t4", Conversation: talkID})
	if _, err := a.vault.Do(ctx, vault.Request{Op: vault.OpWrite, Path: "a.md", Data: []byte("one and more and more\n")}, nil); err != nil {
		t.Fatal(err)
	}
	if err := a.vault.History.EndTurn("t4"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := a.Conversations.ForkBack(t.Context(), "t3", []string{"t4", "t3"})
	if err != nil || len(m.Kept) != 1 || !strings.Contains(m.Kept[0], "was changed since") || !strings.Contains(m.Kept[0], "with /changes") {
		t.Errorf("%+v %v", m, err)
	}
}

// Nothing is undone if the fork fails or another process is working, and the result says so.
func TestForkWithoutUndo(t *testing.T) {
	a, dir := forkable(t)
	before := notesOf(t, dir)
	if _, err := a.Conversations.ForkBack(t.Context(), "nothing", []string{"t3"}); err == nil || notesOf(t, dir) != before {
		t.Errorf("%v: %s", err, notesOf(t, dir))
	}
	m, err := a.Conversations.ForkBack(t.Context(), "t4", []string{"t3", "no such turn"})
	if err != nil || len(m.Back) != 2 || len(m.Kept) != 1 || !strings.Contains(m.Kept[0], "Not all of it could be undone") {
		t.Errorf("%+v %v", m, err)
	}
	// Already undone: there is nothing to ask.
	if r, err := a.Conversations.Reach(t.Context(), "t3"); err != nil || len(r.Turns) != 0 {
		t.Errorf("%+v %v", r, err)
	}
}
