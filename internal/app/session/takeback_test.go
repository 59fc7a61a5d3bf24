package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	a = &Session{vault: c.vault, folders: folders{state: state}, journal: home.KeepJournal(c.vault, func(text string) { t.Error(text) }), config: config.Defaults(), log: home.Discard()}
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
