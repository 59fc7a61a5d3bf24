//go:build unix

package conversation

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKilledAnywhere kills a process at random while it appends, forks, ends and continues conversations, repeatedly.
// Every acknowledged operation is present at the next start, at most one conversation is active, and every
// conversation is complete.
func TestKilledAnywhere(t *testing.T) {
	if dir := os.Getenv("CONVERSATION_KILLED"); dir != "" {
		appendUntilKilled(t, dir)
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	t.Parallel()
	kills := 20
	if os.Getenv("CHATVAULT_STRESS") != "" {
		kills = 100
	}
	dir := memory(t)
	random := rand.New(rand.NewPCG(4, 8))
	var acknowledged []string
	torn, killed := 0, 0
	for ; killed < kills || len(acknowledged) < kills && killed < 10*kills; killed++ {
		span := 40 + 10*max(0, killed-len(acknowledged)) // a busy machine needs longer for the first turn
		done := killedAfter(t, dir, time.Duration(random.IntN(span))*time.Millisecond)
		m := NewManager(openRoot(t, dir), Options{Warn: func(string) { torn++ }})
		began := time.Now()
		c := activeConversation(t, m)
		if d := time.Since(began); d > time.Second {
			t.Errorf("the start took %v", d)
		}
		list, err := m.List()
		if err != nil {
			t.Fatal(err)
		}
		open, has := 0, map[string]bool{}
		for _, e := range list {
			d := get(t, m, e.ID)
			for _, n := range d.tree.nodes {
				has[n.turn.ID] = true
			}
			if d.Ended.IsZero() {
				open++
			}
			if _, err := m.store.root.Stat(aside(e.ID)); len(d.tree.nodes) == 0 && err != nil { // otherwise its first turn was cut
				t.Errorf("%s is empty", e.ID)
			}
		}
		if open > 1 || open == 1 && c == nil {
			t.Errorf("%d are open, active is %v", open, c)
		}
		for i, line := range done {
			what, arg, _ := strings.Cut(line, " ")
			switch what {
			case "said":
				acknowledged = append(acknowledged, arg)
			case "continued":
				if i == len(done)-1 && (c == nil || c.ID != arg) {
					t.Errorf("it had continued %s", arg)
				}
			}
		}
		for _, id := range acknowledged {
			if !has[id] {
				t.Fatalf("%s is lost, of %v", id, done)
			}
		}
	}
	if len(acknowledged) < kills {
		t.Errorf("%d turns were appended between %d kills", len(acknowledged), killed)
	}
	if torn > killed {
		t.Errorf("%d warnings", torn)
	}
	t.Logf("%d turns, %d warnings", len(acknowledged), torn)
}

// killedAfter runs a process, kills it the given time after its first output, and returns the operations it
// acknowledged.
func killedAfter(t *testing.T, dir string, d time.Duration) (done []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAnywhere$")
	cmd.Env = append(os.Environ(), "CONVERSATION_KILLED="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "begun" {
			time.AfterFunc(d, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
			continue
		}
		done = append(done, lines.Text())
	}
	_ = cmd.Wait()
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL {
		t.Fatalf("the process was not killed: %v %v", cmd.ProcessState, done)
	}
	return done
}

func appendUntilKilled(t *testing.T, dir string) {
	m := NewManager(openRoot(t, dir), Options{})
	fmt.Println("begun")
	random := rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(time.Now().UnixNano())))
	for i := 0; ; i++ {
		now := time.Now()
		switch random.IntN(6) {
		case 0:
			fmt.Println("ending")
			if _, err := m.End(now, "new"); err != nil {
				t.Fatal(err)
			}
			fmt.Println("ended")
		case 1:
			list, err := m.Recent(3)
			if err != nil {
				t.Fatal(err)
			}
			if list = slices.DeleteFunc(list, func(e Entry) bool { return e.Turns+e.Branches == 0 }); len(list) == 0 {
				continue
			}
			fmt.Println("continuing")
			if _, err := m.End(now, "new"); err != nil {
				t.Fatal(err)
			}
			c, err := m.Open(list[random.IntN(len(list))].ID, now)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println("continued", c.ID)
		case 2:
			c := activeConversation(t, m)
			if c == nil || len(c.Turns) == 0 {
				continue
			}
			if err := m.Fork(c.ID, c.Turns[random.IntN(len(c.Turns))].ID); err != nil {
				t.Fatal(err)
			}
			fmt.Println("forked")
		default:
			x := turn(fmt.Sprintf("%d-%d", os.Getpid(), i), now)
			x.Messages[1].Content = strings.Repeat("answer ", random.IntN(3000))
			c, _, err := m.Begin("", now)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Append(c.ID, x); err != nil {
				t.Fatal(err)
			}
			fmt.Println("said", x.ID)
		}
	}
}
