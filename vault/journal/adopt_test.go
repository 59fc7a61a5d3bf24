package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAdoptAfterACrash: a turn's file that a process left empty, killed as it adopted, is no turn yet.
func TestAdoptAfterACrash(t *testing.T) {
	dir := stateFolder(t)
	j, _ := journalIn(t, dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	home, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = home.Close() }()
	if err := home.Mkdir(folderName, 0o700); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	turns := []Turn{{Origin: Origin{Turn: "20200101-000000-00000001", Title: "did it"}, Began: at, Ended: at, Changes: []Change{{Seq: 1, Time: at, Op: "mkdir", Path: "f", State: Done}}}}
	left := filepath.Join(dir, folderName, filepath.FromSlash(fileOf(turns[0].Turn)))
	if err := os.MkdirAll(filepath.Dir(left), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for round, want := range []int{1, 0} {
		if added, err := j.Adopt(home, turns); added != want || err != nil {
			t.Errorf("round %d: %d were added, %v", round, added, err)
		}
	}
	if data, err := os.ReadFile(left); err != nil || len(data) == 0 {
		t.Errorf("%q, %v", data, err)
	}
}
