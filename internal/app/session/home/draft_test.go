package home

import (
	"io/fs"
	"log/slog"
	"os"
	"testing"
)

func newTestDrafts(t *testing.T, root *os.Root) *Drafts {
	t.Helper()
	d := NewDrafts(root, slog.New(slog.DiscardHandler))
	t.Cleanup(d.Close)
	return d
}

func wantDraft(t *testing.T, d *Drafts, want string) {
	t.Helper()
	if got := d.Load(); got != want {
		t.Errorf("the draft is %q, want %q", got, want)
	}
}

// Open chats have separate drafts; a later one takes over those of ended chats.
func TestDraftsOfSeveralChats(t *testing.T) {
	root := stateRoot(t)
	a, b := newTestDrafts(t, root), newTestDrafts(t, root)
	wantDraft(t, a, "")
	wantDraft(t, b, "")
	a.Save("of the first")
	wantDraft(t, b, "")
	b.Save("of the second")
	b.Save("")
	wantDraft(t, a, "of the first")
	b.Save("of the second")
	a.Save("") // cleared: it must not reappear
	a.Close()
	b.Close()

	c := newTestDrafts(t, root)
	wantDraft(t, c, "of the second")
	d := newTestDrafts(t, root)
	wantDraft(t, d, "")
}

func TestEmptyDraftIsRemoved(t *testing.T) {
	root := stateRoot(t)
	a := newTestDrafts(t, root)
	a.Save("x")
	a.Save("")
	a.Save("")
	files, err := fs.Glob(root.FS(), "drafts/*.txt")
	if err != nil || len(files) != 0 {
		t.Errorf("%v, %v", files, err)
	}
}

func TestDraftsIgnoreSymlinks(t *testing.T) {
	root, outside := stateRoot(t), t.TempDir()
	if err := os.Symlink(outside, root.Name()+"/drafts"); err != nil {
		t.Fatal(err)
	}
	a := newTestDrafts(t, root)
	a.Save("secret")
	wantDraft(t, a, "")
	if files, _ := os.ReadDir(outside); len(files) != 0 {
		t.Errorf("wrote %v outside", files)
	}
}
