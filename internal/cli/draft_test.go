package cli

import (
	"io/fs"
	"log/slog"
	"os"
	"testing"
)

func newTestDrafts(t *testing.T, root *os.Root) *drafts {
	t.Helper()
	d := newDrafts(root, slog.New(slog.DiscardHandler))
	t.Cleanup(d.close)
	return d
}

func testState(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func wantDraft(t *testing.T, d *drafts, want string) {
	t.Helper()
	if got := d.load(); got != want {
		t.Errorf("the draft is %q, want %q", got, want)
	}
}

// Chats that are open at once have a draft each; one that starts later takes over what those
// that ended left.
func TestDraftsOfSeveralChats(t *testing.T) {
	root := testState(t)
	a, b := newTestDrafts(t, root), newTestDrafts(t, root)
	wantDraft(t, a, "")
	wantDraft(t, b, "")
	a.save("of the first")
	wantDraft(t, b, "")
	b.save("of the second")
	b.save("")
	wantDraft(t, a, "of the first")
	b.save("of the second")
	a.save("") // cleared: it must not come back anywhere
	a.close()
	b.close()

	c := newTestDrafts(t, root)
	wantDraft(t, c, "of the second")
	d := newTestDrafts(t, root)
	wantDraft(t, d, "")
}

func TestADraftIsGoneWhenItIsEmpty(t *testing.T) {
	root := testState(t)
	a := newTestDrafts(t, root)
	a.save("x")
	a.save("")
	a.save("")
	files, err := fs.Glob(root.FS(), "drafts/*.txt")
	if err != nil || len(files) != 0 {
		t.Errorf("%v, %v", files, err)
	}
}

func TestDraftsFollowNoLink(t *testing.T) {
	root, outside := testState(t), t.TempDir()
	if err := os.Symlink(outside, root.Name()+"/drafts"); err != nil {
		t.Fatal(err)
	}
	a := newTestDrafts(t, root)
	a.save("secret")
	wantDraft(t, a, "")
	if files, _ := os.ReadDir(outside); len(files) != 0 {
		t.Errorf("wrote %v outside", files)
	}
}
