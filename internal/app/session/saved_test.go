package session

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/statefile"
	"chatvault/vault"
)

// saving returns a session that saves into Chats from the beginning.
func saving(t *testing.T, dir string) *Session {
	t.Helper()
	state, err := home.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	v, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = state.Close(); _ = v.Close() })
	cfg, err := config.Load(config.Sources{LookupEnv: func(string) (string, bool) { return "", false }, UserFile: os.DevNull})
	if err != nil {
		t.Fatal(err)
	}
	cfg.SaveChats.V = "Chats"
	s := &Session{
		vault: v, config: cfg, folders: folders{state: state}, log: slog.New(slog.DiscardHandler),
		manager: conversation.NewManager(state, conversation.Options{}),
	}
	s.Conversations = &Conversations{hide: func(text string) string { return llm.RedactKeys(text) }}
	forget(t, s)
	return s
}

// forget records that nothing was saved.
func forget(t *testing.T, s *Session) {
	t.Helper()
	if err := statefile.WriteJSON(s.state, savedFile, savedState{Schema: savedSchema}); err != nil {
		t.Fatal(err)
	}
}

// chats returns the names, without dates, and texts of the notes in Chats.
func chats(t *testing.T, dir string) (names []string, texts string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "Chats", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(filepath.Base(file), " ")
		names, texts = append(names, name), texts+string(data)
	}
	return names, texts
}

func end(t *testing.T, m *conversation.Manager, id, title, answer string) {
	t.Helper()
	c, _, err := m.Begin("", time.Now())
	if err == nil {
		err = m.Append(c.ID, talk(id, 0, "how high?", answer))
	}
	if err == nil {
		_, err = m.End(time.Now(), "new")
	}
	if err == nil && title != "" {
		err = m.SetTitle(c.ID, title, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSavedOnce checks that an interrupted program saves each conversation exactly once.
func TestSavedOnce(t *testing.T) {
	dir := newVault(t)
	s := saving(t, dir)
	end(t, s.manager, "a", "The fence", "A metre, says [[Home]]; the key is sk-live-0123456789abcdef0123.")
	end(t, s.manager, "b", "The fence", "Two (Home.md:1).")
	if err := os.WriteFile(filepath.Join(dir, "Chats"), []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.saveChats(t.Context(), ""); err == nil {
		t.Error("a file is where the folder should be")
	}
	if err := os.Remove(filepath.Join(dir, "Chats")); err != nil {
		t.Fatal(err)
	}
	want := []string{"The fence 2.md", "The fence.md"}
	for range 2 {
		if err := s.saveChats(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		names, texts := chats(t, dir)
		if !slices.Equal(names, want) || strings.Contains(texts, "sk-live-0123") {
			t.Errorf("%q\n%s", names, texts)
		}
		forget(t, s) // as if the program had exited before recording it
	}

	// The process that ends a conversation titles it, so saving waits for the title.
	end(t, s.manager, "c", "", "Three.")
	list, err := s.manager.Recent(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.saveChats(t.Context(), list[0].ID); err != nil {
		t.Fatal(err)
	}
	if names, _ := chats(t, dir); !slices.Equal(names, append(want, "how high.md")) {
		t.Errorf("%q", names)
	}

	// Conversations that end while saving is off stay unsaved when it is enabled again.
	s.config.SaveChats.V = ""
	if err := s.beginSaving(); err != nil {
		t.Fatal(err)
	}
	end(t, s.manager, "d", "Unsaved", "Four.")
	s.config.SaveChats.V = "Chats"
	for range 2 {
		if err := s.beginSaving(); err != nil {
			t.Fatal(err)
		}
	}
	end(t, s.manager, "e", "Saved", "Five.")
	if err := s.saveChats(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if names, _ := chats(t, dir); !slices.Contains(names, "Saved.md") || slices.Contains(names, "Unsaved.md") {
		t.Errorf("%q", names)
	}
}
