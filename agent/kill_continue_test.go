//go:build unix

package agent

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"chatvault/agent/event"
	"chatvault/conversation"
)

// TestKilledWhileItContinues kills a process with SIGKILL at each step of going on with a
// conversation that ended. The next start goes on where that was, and loses nothing.
func TestKilledWhileItContinues(t *testing.T) {
	if os.Getenv(killAt) != "" {
		dieContinuing(t)
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	// What the process does: "one" in a conversation, "two" in another, the first is continued, and
	// "three" said in that; then it goes back to before "three".
	for step, want := range map[string]string{
		"recorded 2":  "two", // the second goes on
		"ended 2":     "one", // it is open again before the end of the other is told
		"continued 1": "one",
		"begun 3":     "one", // the next message waits
		"recorded 3":  "onethree",
		"forked 1":    "one",
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			root := state(t)
			diedAt(t, "TestKilledWhileItContinues", root.Name(), step)
			k := talking(t, root, []reply{say("ok")}, nil, nil)
			pending, warnings, err := k.Recover()
			if err != nil || len(warnings) > 0 {
				t.Fatal(warnings, err)
			}
			if waits := step == "begun 3"; waits != (len(pending) == 1) {
				t.Errorf("offered %+v", pending)
			}
			c, err := k.conversations.Active()
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if c != nil {
				got = strings.Join(said1(c), "")
			}
			if got != want {
				t.Errorf("%q goes on, want %q", got, want)
			}
			for _, e := range pending {
				if err := k.Retry(e.ID); err != nil {
					t.Fatal(err)
				}
				if f := wait[event.TurnFinished](k.harness); f.ConversationID != c.ID {
					t.Errorf("it was answered in %s, not %s", f.ConversationID, c.ID)
				}
			}
			list, err := k.conversations.List()
			if err != nil || len(list) != 2 {
				t.Errorf("%d conversations, %v", len(list), err)
			}
			for _, e := range list {
				if e.Turns+e.Branches == 0 {
					t.Errorf("nothing is in %+v", e)
				}
			}
		})
	}
}

func dieContinuing(t *testing.T) {
	root, err := os.OpenRoot(os.Getenv(killDir))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	at := func(step string) {
		mu.Lock()
		defer mu.Unlock()
		if seen[step]++; fmt.Sprint(step, " ", seen[step]) == os.Getenv(killAt) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	k := talking(t, root, []reply{say("ok")}, nil, func(o *Options, _ *behind) {
		o.Conversations = conversation.NewManager(root, conversation.Options{})
		o.step = at
	})
	first := k.ask("one").ConversationID
	k.EndConversation()
	k.ask("two")
	if err := k.Continue(first); err != nil {
		t.Fatal(err)
	}
	three := k.ask("three")
	if err := k.Fork(three.MessageID); err != nil {
		t.Fatal(err)
	}
	at("forked")
}
