//go:build unix

package stress

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// TestPoison: a message that ends the program whenever its turn begins is set aside at the fourth
// start, in sight; the others go on.
func TestPoison(t *testing.T) {
	t.Parallel()
	h := newHome(t, scratch(t), failing(t), model(t), map[string]string{"Home.md": "# Home\n"})
	const poison, healthy = "a poisonous message", "a healthy message"
	die := []string{"CHATVAULT_FAILPOINT=kill step begun 1"}
	if r := h.run(0, die, "ask", poison); !r.killed {
		t.Fatalf("it was not killed: %d %s", r.status, r.err)
	}
	for n := range 2 {
		if r := h.run(0, die, "inbox", "retry"); !r.killed {
			t.Fatalf("try %d: it was not killed: %d %s", n+2, r.status, r.err)
		}
	}
	if r := h.run(0, []string{"CHATVAULT_FAILPOINT=kill step received 1"}, "ask", healthy); !r.killed {
		t.Fatalf("it was not killed: %d %s", r.status, r.err)
	}
	c := h.open(t)
	c.WaitFor(healthy, patience) // it goes on by itself
	screen := c.WaitFor("It is done.", patience)
	if flat := strings.Join(strings.Fields(screen), " "); !strings.Contains(flat, poison) || !strings.Contains(flat, "ended the program 3 times") || !strings.Contains(flat, "set aside") {
		t.Errorf("what was set aside is not told:\n%s", screen)
	}
	aside, err := filepath.Glob(h.state("inbox", "*.corrupt-*"))
	if err != nil || len(aside) != 1 || !strings.Contains(read(t, aside[0]), poison) {
		t.Errorf("set aside: %v %v", aside, err)
	}
	c.WaitIdle(200*time.Millisecond, patience) // it leaves the inbox once it is recorded
	if inbox, answered, err := h.kept(healthy); inbox != 0 || answered != 1 || err != nil {
		t.Errorf("the healthy one is %d times in the inbox and %d times answered, %v", inbox, answered, err)
	}
}

// TestTwoProcesses: processes work on one vault at the same time. None waits for another's model; each message
// is handled once, each change made once, and none is lost.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	srv := model(t, llmtest.Say(
		llmtest.Text("I take"), llmtest.Flush(), llmtest.Gate(asked), llmtest.Text(" my time."), llmtest.When(`user matches "^slow"`), llmtest.Times(1)))
	h := newHome(t, scratch(t), binary(t), srv, map[string]string{"log.md": "# Log\n"})
	c := h.open(t)
	c.send("slow: please")
	c.WaitFor("I take", patience)
	r := h.run(0, nil, "ask", "hello from beside")
	close(asked)
	if r.status != 0 || !strings.Contains(r.out, "It is done.") {
		t.Errorf("the one beside: %d %s%s", r.status, r.out, r.err)
	}
	c.WaitFor("my time.", patience)

	each := rounds(4, 40)
	var mu sync.Mutex
	var texts []string
	var wg sync.WaitGroup
	for p := range 3 {
		wg.Go(func() {
			for n := range each {
				text := fmt.Sprintf("append: number %d of process %d", n, p)
				r := h.run(0, nil, "ask", "--json", text)
				mu.Lock()
				texts = append(texts, text)
				if r.status != 0 {
					t.Errorf("%s: %d %s%s", text, r.status, r.out, r.err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, text := range texts {
		if inbox, answered, err := h.kept(text); inbox != 0 || answered != 1 || err != nil {
			t.Errorf("%q is %d times in the inbox and %d times answered, %v", text, inbox, answered, err)
		}
	}
	if n := strings.Count(read(t, filepath.Join(h.vault, "log.md")), "- entry\n"); n != 3*each {
		t.Errorf("%d entries in the note, want %d", n, 3*each)
	}
	if bad := h.torn(); len(bad) > 0 {
		t.Errorf("torn: %v", bad)
	}
	c.WaitIdle(300*time.Millisecond, patience)
	c.send("append: and the chat") // goes on where it was
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		inbox, answered, err := h.kept("append: and the chat")
		if inbox == 0 && answered == 1 {
			break
		}
		if time.Since(begun) > patience {
			t.Fatalf("what the chat was told is %d times in the inbox and %d times answered, %v", inbox, answered, err)
		}
	}
	if left, _ := os.ReadDir(h.state("inbox")); len(left) > 0 {
		t.Errorf("left in the inbox: %v", left)
	}
}
