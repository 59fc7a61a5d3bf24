package vault

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestSwapRace exchanges a folder of the vault with a link to its parent as fast as it can, while notes below that
// name are read and written (the corpus row "swap/a.md"): nothing outside is read or changed.
func TestSwapRace(t *testing.T) {
	guard := t.TempDir()
	dir := filepath.Join(guard, "vault")
	mustTest(t, os.MkdirAll(filepath.Join(dir, "swap"), 0o755))
	mustTest(t, os.WriteFile(filepath.Join(dir, "swap", "a.md"), []byte("inside"), 0o644))
	mustTest(t, os.WriteFile(filepath.Join(guard, "a.md"), []byte("OUTSIDE"), 0o644))
	mustTest(t, os.Symlink("..", filepath.Join(dir, "link")))
	v := openTest(t, dir)

	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		a, b := filepath.Join(dir, "swap"), filepath.Join(dir, "link")
		for {
			select {
			case <-stop:
				return
			default:
				// One system call: the name always exists.
				_ = unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
			}
		}
	})
	reads, writes, denied := 0, 0, 0
	longer := rounds(1, 20)
	deadline := time.Now().Add(time.Duration(longer) * 1500 * time.Millisecond)
	for n := range longer * 20_000 {
		if time.Now().After(deadline) {
			break
		}
		if n%10 == 0 {
			if _, err := v.Write(t.Context(), "swap/a.md", []byte("inside"), ""); err != nil {
				denied++
			} else {
				writes++
			}
			continue
		}
		f, err := v.Read(t.Context(), "swap/a.md")
		switch {
		case err != nil:
			denied++
		case bytes.Contains(f.Data, []byte("OUTSIDE")):
			t.Fatal("bytes from outside were read")
		default:
			reads++
		}
	}
	close(stop)
	wg.Wait()
	if data, err := os.ReadFile(filepath.Join(guard, "a.md")); err != nil || string(data) != "OUTSIDE" {
		t.Errorf("outside was changed: %q, %v", data, err)
	}
	entries, err := os.ReadDir(guard)
	if err != nil || len(entries) != 2 {
		t.Errorf("outside holds %v, %v", entries, err)
	}
	summary := fmt.Sprintf("%d reads, %d writes, %d denied", reads, writes, denied)
	t.Log(summary)
	if reads == 0 || writes == 0 || denied == 0 {
		t.Errorf("the race was not run: %s", summary)
	}
}
