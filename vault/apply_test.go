package vault

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/fsys"
	"chatvault/vault/vaulterr"
)

// TestPrivateListAllowsAnyNewName creates, moves, deletes and undoes names without upper case in a vault with private
// notes. A file system that ignores case would list them as they are.
func TestPrivateListAllowsAnyNewName(t *testing.T) {
	for _, name := range []string{"日本", "会议", "2024–2025", "📥", "große", "عربي"} {
		v := journaledTest(t, map[string]string{"Secret/a.md": "a", "note.md": "n", "P/x.md": "x"})
		mustTest(t, v.SetPrivate([]string{"Secret/"}))
		before := snapshot(v.dir)
		ctx := inTurn(t, "one")
		_, err := v.Write(ctx, name+"/"+name+".md", []byte("new\n"), "")
		mustTest(t, err)
		_, _, err = v.Mkdir(ctx, name+"/"+name)
		mustTest(t, err)
		_, err = v.Move(ctx, "note.md", name+"/note.md")
		mustTest(t, err)
		_, err = v.Move(ctx, "P", name+"2")
		mustTest(t, err)
		_, err = v.Delete(ctx, name, true)
		mustTest(t, err)
		mustTest(t, v.History.EndTurn("one"))
		if u, err := v.History.Undo(t.Context(), "one"); err != nil || len(u.Refused) > 0 {
			t.Fatalf("%s: %v %+v", name, err, u.Refused)
		}
		if d := differences(snapshot(v.dir), before); len(d) > 0 {
			t.Errorf("%s: %s", name, strings.Join(d, "\n"))
		}
	}
}

// TestFolderOfAnotherProgram is not reported as created, nor removed by undo.
func TestFolderOfAnotherProgram(t *testing.T) {
	for at, r := range map[string]Request{
		"New":   {Op: OpMkdir, Path: "New"},
		"Above": {Op: OpWrite, Path: "Above/a.md", Data: []byte("a")},
		"To":    {Op: OpMove, Path: "note.md", NewPath: "To/note.md"},
	} {
		v := journaledTest(t, map[string]string{"note.md": "n"})
		_, err := v.Do(inTurn(t, "one"), r, func(Change, []byte) error { return os.Mkdir(filepath.Join(v.dir, at), 0o700) })
		if !errors.Is(err, vaulterr.KindChanged) || !strings.Contains(err.Error(), "was created by another program just now") {
			t.Errorf("%s: %v", at, err)
		}
		if _, err := os.Stat(filepath.Join(v.dir, "note.md")); err != nil {
			t.Error(err)
		}
	}
}

// TestFirstFailureStopsTheRest leaves most notes unwritten after one of many cannot be.
func TestFirstFailureStopsTheRest(t *testing.T) {
	files := map[string]string{"Hub.md": "# Hub\n"}
	const notes = 400
	for i := range notes {
		files[fmt.Sprintf("%d.md", i)] = "[[Hub]]\n"
	}
	v := journaledTest(t, files)
	full := errors.New("no space left")
	var staged atomic.Int64
	v.files.Fault = func(step atomicfile.Step, _ string) error {
		if step == atomicfile.StepWrite {
			if staged.Add(1) > 1 {
				return full
			}
		}
		return nil
	}
	if _, err := v.Move(inTurn(t, "one"), "Hub.md", "Other.md"); !errors.Is(err, full) {
		t.Fatal(err)
	}
	if n := staged.Load(); n > 2*fsys.Workers {
		t.Errorf("%d of %d notes were tried although the first ones failed", n, notes)
	}
}
