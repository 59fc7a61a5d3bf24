package lock

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"chatvault/internal/base/statefile"
	"chatvault/internal/base/statefile/statetest"
)

// TestOwnersComeAndGo: many processes start, look for dead ones, and end; none is taken for
// dead while it lives, and none leaves a trace.
func TestOwnersComeAndGo(t *testing.T) {
	root := statetest.Root(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				o, err := NewOwner(root)
				if err != nil {
					t.Error(err)
					return
				}
				Sweep(root)
				if !Alive(root, o.Name) {
					t.Errorf("%s is taken for dead", o.Name)
				}
				if err := o.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	Sweep(root)
	if left, _ := os.ReadDir(filepath.Join(root.Name(), RunFolder)); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestLocksDoNotFollowLinks(t *testing.T) {
	for _, name := range []string{StateLockFile, RunFolder} {
		root := statetest.Root(t)
		outside := filepath.Join(statetest.Memory(t), "target")
		if err := os.Symlink(outside, filepath.Join(root.Name(), name)); err != nil {
			t.Fatal(err)
		}
		if name == RunFolder {
			if err := os.Mkdir(outside, 0o700); err != nil {
				t.Fatal(err)
			}
			if _, err := NewOwner(root); err == nil {
				t.Error("run is a link and was used")
			}
			if files, _ := os.ReadDir(outside); len(files) > 0 {
				t.Errorf("written outside: %v", files)
			}
			continue
		}
		if _, err := statefile.NewLock(root, name); err == nil {
			t.Errorf("%s is a link and was used", name)
		}
		if _, err := os.Lstat(outside); err == nil {
			t.Errorf("%s made a file outside", name)
		}
	}
}
