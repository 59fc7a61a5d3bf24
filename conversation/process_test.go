package conversation

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestProcesses runs processes that append, set titles, drop questions, fork, delete and search at the same time. No
// recorded turn is lost, and no deleted conversation reappears.
func TestProcesses(t *testing.T) {
	if os.Getenv("CONVERSATION_PROCESS") != "" {
		runProcess(t)
		return
	}
	dir := memory(t)
	m := NewManager(openRoot(t, dir), Options{})
	order := ended(t, m, 40)
	talk := order[len(order)-1]
	var wg sync.WaitGroup
	for _, what := range []string{"talk", "titles", "forks", "deletes"} {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestProcesses$")
			cmd.Env = append(os.Environ(), "CONVERSATION_PROCESS="+what, "CONVERSATION_DIR="+dir, "CONVERSATION_ID="+talk)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", what, err, out)
			}
		})
	}
	wg.Wait()
	m = NewManager(openRoot(t, dir), Options{Warn: func(s string) { t.Error(s) }})
	c := get(t, m, talk)
	for i := range 60 {
		if id := fmt.Sprintf("talk%d", i); !c.Has(id) {
			t.Errorf("%s is lost", id)
		}
	}
	for i, id := range order[:len(order)-1] {
		_, err := m.Get(id)
		if kept := i%2 == 1; kept != (err == nil) || !kept && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d: %v", i, err)
		}
	}
	list, err := m.List()
	if err != nil || len(list) != 20 {
		t.Errorf("%d listed, %v", len(list), err)
	}
	for _, e := range list {
		if e.ID != talk && e.Title == "" {
			t.Errorf("%s has no title", e.ID)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, aside(talk))); err == nil {
		t.Error("a line was torn")
	}
}

// runProcess is one of the processes of TestProcesses.
func runProcess(t *testing.T) {
	talk := os.Getenv("CONVERSATION_ID")
	m := NewManager(openRoot(t, os.Getenv("CONVERSATION_DIR")), Options{Warn: func(s string) { t.Error(s) }})
	list, err := m.List()
	if err != nil {
		t.Fatal(err)
	}
	ended := list[:min(len(list), 39)]
	switch os.Getenv("CONVERSATION_PROCESS") {
	case "talk":
		for i := range 60 {
			if err := m.Append(talk, turn(fmt.Sprintf("talk%d", i), at(1000+i))); err != nil {
				t.Error(err)
			}
		}
	case "titles":
		for i := range ended {
			if err := m.SetTitle(ended[len(ended)-1-i].ID, "Title", "Summary"); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
			if _, err := m.DropStale(at(10_000), time.Hour); err != nil {
				t.Error(err)
			}
		}
	case "forks":
		for range 20 {
			c, err := m.Get(talk)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(c.Turns); n > 0 { // otherwise all turns were forked away
				if err := m.Fork(talk, c.Turns[n-1].ID); err != nil && !strings.Contains(err.Error(), "active path") {
					t.Error(err)
				}
			}
			if b := c.Branches(); len(b) > 0 {
				if err := m.Switch(talk, b[0].ID); err != nil && !strings.Contains(err.Error(), "no branch") {
					t.Error(err)
				}
			}
		}
	case "deletes":
		for i, e := range list {
			if i%2 == 0 && e.ID != talk {
				if err := m.Delete(e.ID); err != nil {
					t.Error(err)
				}
				if _, err := m.Search(t.Context(), "question", 3); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestHeldLock: a process stopped while it holds the lock does not prevent other processes from recording turns;
// other operations are refused with the reason.
func TestHeldLock(t *testing.T) {
	if dir := os.Getenv("CONVERSATION_HOLD"); dir != "" {
		release, err := store{openRoot(t, dir)}.lock()
		fmt.Println("held", err)
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		release()
		return
	}
	t.Parallel()
	m, id := withTurns(t, "a")
	cmd := exec.Command(os.Args[0], "-test.run=^TestHeldLock$", "-test.v")
	cmd.Env = append(os.Environ(), "CONVERSATION_HOLD="+m.store.root.Name())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "held") {
			break
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := m.Append(id, turn("b", at(1))); err != nil {
			t.Errorf("a turn could not be recorded: %v", err)
		}
	})
	other := restarted(t, m)
	wg.Go(func() {
		if err := other.SetTitle(id, "T", "S"); !errors.Is(err, errBusy) {
			t.Errorf("a title while the lock is held: %v", err)
		}
	})
	wg.Wait()
	if got := ids(activeConversation(t, other)); got != "a b" {
		t.Errorf("recorded: %s", got)
	}
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if err := other.SetTitle(id, "T", "S"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestLockIsSymlink: a symbolic link in place of the lock file is reported, and no turn is lost.
func TestLockIsSymlink(t *testing.T) {
	m, id := withTurns(t, "a")
	name := filepath.Join(m.store.root.Name(), lockFile)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), name); err != nil {
		t.Fatal(err)
	}
	if err := m.SetTitle(id, "T", ""); err == nil || !strings.Contains(err.Error(), lockFile) {
		t.Errorf("%v", err)
	}
	if err := m.Append(id, turn("b", at(1))); err != nil || ids(activeConversation(t, m)) != "a b" {
		t.Errorf("%v", err)
	}
}
