//go:build unix

package agent

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
)

// TestKilledAroundAnEnd kills a process with SIGKILL at each step of a conversation's end and of
// what follows it in the background. The next start loses no message, ends what the agent had
// ended, and titles it; what was looked back at is not looked back at again.
func TestKilledAroundAnEnd(t *testing.T) {
	if os.Getenv(killAt) != "" {
		dieAroundAnEnd(t)
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	for _, step := range []string{
		"notified 1", "recorded 1", "ended 1", "removed 1", "titled 1", "retrospected 1", "entered 2", "recorded 2", "ended 2", "titled 2", "retrospected 2",
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			root := state(t)
			diedAt(t, "TestKilledAroundAnEnd", root.Name(), step)
			began := time.Now()
			k := talking(t, root, []reply{say("ok")}, []reply{titled}, func(o *Options, b *behind) {
				o.CatchUp, o.Retrospection = true, true
				b.looks.replies = []reply{say("Looked back.")}
			})
			pending, warnings, err := k.Recover()
			if err != nil || len(warnings) > 0 {
				t.Fatal(warnings, err)
			}
			if d := time.Since(began); d > time.Second {
				t.Errorf("the start took %v", d)
			}
			for _, e := range pending {
				if err := k.Retry(e.ID); err != nil {
					t.Fatal(err)
				}
				wait[event.TurnFinished](k.harness)
			}
			k.NewConversation()
			k.ask("calm")
			k.settled()
			k.checkEnds(step)
		})
	}
}

// checkEnds looks at what is stored after all.
func (k *talk) checkEnds(step string) {
	k.t.Helper()
	list, err := k.conversations.List()
	if err != nil {
		k.t.Fatal(err)
	}
	var said []string
	file := retrospections(k.t, k.root)
	for _, e := range list {
		c, err := k.conversations.Get(e.ID)
		if err != nil {
			k.t.Fatal(err)
		}
		texts := []string{}
		for _, t := range c.Turns {
			texts = append(texts, t.Messages[0].Content)
		}
		said = append(said, strings.Join(texts, "+"))
		if c.Ended.IsZero() {
			continue
		}
		if e.Title != "Watering the tomato beds" {
			k.t.Errorf("%v is called %q", texts, e.Title)
		}
		if n := strings.Count(file, "Conversation "+e.ID); n > 1 {
			k.t.Errorf("%v was looked back at %d times", texts, n)
		}
	}
	want := []string{"one", "two", "three", "calm"}
	switch step { // the others were not sent yet
	case "notified 1", "recorded 1", "ended 1", "removed 1", "titled 1", "retrospected 1":
		want = []string{"one", "calm"}
	case "entered 2", "recorded 2":
		want = []string{"one", "two", "calm"}
	}
	if !slices.Equal(said, want) {
		k.t.Errorf("the conversations are %q, want %q", said, want)
	}
	if ids := k.inboxIDs(); len(ids) > 0 {
		k.t.Errorf("inbox: %v", ids)
	}
}

// diedAt runs a test of this binary in a process that is killed at a step.
func diedAt(t *testing.T, test, dir, step string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), killAt+"="+step, killDir+"="+dir)
	out, _ := cmd.CombinedOutput()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || status.Signal() != syscall.SIGKILL || ctx.Err() != nil {
		t.Fatalf("the process was not killed at %q: %v\n%s", step, cmd.ProcessState, out)
	}
}

func dieAroundAnEnd(t *testing.T) {
	root, err := os.OpenRoot(os.Getenv(killDir))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex // steps come from the worker and from the background
	seen := map[string]int{}
	k := talking(t, root, []reply{goodbye, say("Bye."), say("Two.")}, []reply{titled}, func(o *Options, b *behind) {
		o.Retrospection = true
		b.looks.replies = []reply{say("Looked back.")}
		o.Conversations = conversation.NewManager(root, conversation.Options{})
		o.step = func(step string) {
			mu.Lock()
			defer mu.Unlock()
			if seen[step]++; fmt.Sprint(step, " ", seen[step]) == os.Getenv(killAt) {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	})
	k.ask("one")
	k.settled()
	k.ask("two")
	k.NewConversation()
	k.ask("three")
	k.settled()
}
