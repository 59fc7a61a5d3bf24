package artifacts

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/conversation"
	"chatvault/internal/artifact"
	"chatvault/internal/statefile/statetest"
	"chatvault/vault"
	"chatvault/vault/journal"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// shelf is one over a vault with these settings of Obsidian's.
func shelf(t *testing.T, settings map[string]string) (*Shelf, *os.Root, func() []string) {
	t.Helper()
	dir, state := t.TempDir(), statetest.Root(t)
	data, err := json.Marshal(settings)
	must(t, err)
	must(t, os.Mkdir(filepath.Join(dir, ".obsidian"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, ".obsidian", "app.json"), data, 0o600))
	v, err := vault.Open(dir)
	must(t, err)
	t.Cleanup(func() { _ = v.Close() })
	j := journal.New(func(bool) (*os.Root, error) { return os.OpenRoot(state.Name()) }, journal.Options{})
	t.Cleanup(func() { _ = j.Close() })
	v.UseJournal(j)
	var warned []string
	return &Shelf{
		Vault: v, Manager: conversation.NewManager(state, conversation.Options{}),
		Ended: func(id string) { must(t, v.EndTurn(id)) }, Warn: func(s string) { warned = append(warned, s) },
	}, state, func() []string { return warned }
}

func TestSavedWhereObsidianPutsIt(t *testing.T) {
	for name, tt := range map[string]struct {
		settings map[string]string
		file     string
		want     []string
	}{
		"no settings":        {nil, "a.png", []string{"a.png", "a 1.png", "a 2.png"}},
		"a folder":           {map[string]string{"attachmentFolderPath": "Files/Pictures"}, "a.png", []string{"Files/Pictures/a.png"}},
		"beside the note":    {map[string]string{"attachmentFolderPath": "./"}, "a.png", []string{"a.png"}},
		"the vault":          {map[string]string{"attachmentFolderPath": "/"}, "a.png", []string{"a.png"}},
		"out of the vault":   {map[string]string{"attachmentFolderPath": "../out"}, "a.png", []string{"a.png"}},
		"a protected folder": {map[string]string{"attachmentFolderPath": ".obsidian"}, "a.png", []string{"a.png"}},
		"a note": {
			map[string]string{"attachmentFolderPath": "Files", "newFileLocation": "folder", "newFileFolderPath": "Notes"},
			"a.md",
			[]string{"Notes/a.md", "Notes/a 1.md"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := shelf(t, tt.settings)
			content := map[string]string{"a.png": "\x89PNG\r\n\x1a\n", "a.md": "words"}[tt.file]
			a, err := s.Manager.Artifacts().Put("one", artifact.Source{}, tt.file, []byte(content))
			must(t, err)
			for _, want := range tt.want {
				got, err := s.SaveArtifact(context.Background(), a.Hash, tt.file)
				data, _ := os.ReadFile(filepath.Join(s.Vault.Dir(), want))
				if got != want || err != nil || string(data) != content {
					t.Errorf("%q with %q, %v; want %q", got, data, err, want)
				}
			}
			if got, err := s.SaveArtifact(context.Background(), a.Hash, "../../.obsidian/"+tt.file); strings.Contains(got, "obsidian") || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			if _, err := s.Vault.Undo(context.Background(), ""); err != nil {
				t.Error(err)
			}
			u, err := s.Vault.Undo(context.Background(), "")
			if err != nil || !strings.Contains(u.Turn.Title, "Save the artifact") {
				t.Errorf("%+v, %v", u, err)
			}
			if _, err := os.Stat(filepath.Join(s.Vault.Dir(), tt.want[len(tt.want)-1])); err == nil {
				t.Error("it is still there")
			}
		})
	}
}

func TestWhatIsListed(t *testing.T) {
	s, state, warned := shelf(t, nil)
	if list, err := s.Artifacts(context.Background()); len(list) != 0 || err != nil {
		t.Errorf("%+v, %v", list, err)
	}
	id := "20261121-120000-00000000"
	must(t, s.Manager.Append(id, conversation.Turn{ID: "t", Started: time.Now(), Ended: time.Now(), Messages: []conversation.Message{{Role: conversation.RoleUser, Content: "draw a tree"}}}))
	store := s.Manager.Artifacts()
	_, err := store.Put(id, artifact.Source{}, "old.txt", []byte("old"))
	must(t, err)
	_, err = store.Put("other", artifact.Source{}, "new.txt", []byte("new"))
	must(t, err)
	_, err = store.Put(id, artifact.Source{Input: true}, "own.png", []byte("the user's own"))
	must(t, err)
	list, err := s.Artifacts(context.Background())
	if err != nil || len(list) != 2 || list[0].Name != "new.txt" || list[0].Conversation != "" || list[1].Conversation != "draw a tree" {
		t.Errorf("%+v, %v", list, err)
	}
	must(t, os.Remove(filepath.Join(state.Name(), "artifacts", list[0].Hash)))
	if _, err := s.SaveArtifact(context.Background(), list[0].Hash, "new.txt"); err == nil || err.Error() != "its bytes are not there any more" {
		t.Error(err)
	}
	// A conversation that is deleted takes what it brought with it.
	_, err = s.Manager.End(time.Now(), "command")
	must(t, err)
	must(t, s.Manager.Delete(id))
	if list, err := s.Artifacts(context.Background()); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := store.Read(list[1].Hash); err == nil {
		t.Error("its bytes stay")
	}
	s.SettleArtifacts()
	if got := warned(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
