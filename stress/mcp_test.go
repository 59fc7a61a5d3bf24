//go:build unix

package stress

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpClient is an agent of another program, with a server process of its own.
type mcpClient struct {
	*sdk.ClientSession
	process *exec.Cmd
}

func (h *home) mcpClient(name string) (*mcpClient, error) {
	c := exec.Command(h.bin, "mcp", "--vault", h.vault)
	c.Env, c.Dir = h.environment(), h.dir
	s, err := sdk.NewClient(&sdk.Implementation{Name: name}, nil).Connect(context.Background(), &sdk.CommandTransport{Command: c}, nil)
	return &mcpClient{s, c}, err
}

// do calls a tool. The error is the tool's, too.
func (c *mcpClient) do(name string, args map[string]any) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return "", err
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		return "", fmt.Errorf("%s", text)
	}
	return text, nil
}

// TestMCPLosesNothing has four agents, a process each, write to the same notes and to their own, twenty
// times a second together. What a call said it did is there, once, and every change is a turn that can be
// taken back.
func TestMCPLosesNothing(t *testing.T) {
	h := newHome(t, scratch(t), binary(t), nil, map[string]string{"Log.md": "# Log\n", "Home.md": "[[Log]]\n"})
	const agents, aSecond = 4, 20
	calls := rounds(15, aSecond*60/agents) // of each
	var all sync.WaitGroup
	begun := time.Now()
	for a := range agents {
		all.Go(func() {
			c, err := h.mcpClient(fmt.Sprint("agent", a))
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = c.Close() }()
			var mine sync.WaitGroup
			tick := time.NewTicker(time.Second * agents / aSecond)
			defer tick.Stop()
			for i := range calls {
				<-tick.C
				mine.Go(func() {
					path := "Log.md"
					if i%3 == 1 {
						path = fmt.Sprintf("Agents/%d.md", a)
					}
					if _, err := c.do("append_file", map[string]any{"path": path, "content": fmt.Sprintf("call %d of %d.", i, a), "create": true}); err != nil {
						t.Errorf("call %d of agent %d: %v", i, a, err)
					}
				})
			}
			mine.Wait()
		})
	}
	all.Wait()
	took := time.Since(begun)
	text := read(t, h.vault+"/Log.md")
	for a := range agents {
		text += read(t, fmt.Sprintf("%s/Agents/%d.md", h.vault, a))
	}
	for a := range agents {
		for i := range calls {
			if n := strings.Count(text, fmt.Sprintf("call %d of %d.", i, a)); n != 1 {
				t.Errorf("call %d of agent %d is there %d times", i, a, n)
			}
		}
	}
	for _, bad := range h.torn() {
		t.Error(bad)
	}
	out := h.run(0, nil, "changes", "--json", "-n", "100000").out
	if turns := strings.Count(out, "\n"); turns != agents*calls {
		t.Errorf("%d calls are %d turns", agents*calls, turns)
	}
	t.Logf("%d calls of %d agents in %s: none lost", agents*calls, agents, took.Round(time.Millisecond))
}

// TestMCPMovesWithItsLinks moves a note with 500 backlinks over MCP, and takes it back at the shell.
func TestMCPMovesWithItsLinks(t *testing.T) {
	notes := map[string]string{"Hub.md": "# Hub\n"}
	for i := range 500 {
		notes[fmt.Sprintf("N%d/Note %d.md", i%7, i)] = []string{"see [[Hub]] and [[Hub#Hub|it]]\r\n", "- [the hub](../Hub.md)\n", "![[Hub]]"}[i%3]
	}
	h := newHome(t, scratch(t), binary(t), nil, notes)
	before := files(h.vault)
	c, err := h.mcpClient("mover")
	must(t, err)
	defer func() { _ = c.Close() }()
	began := time.Now()
	said, err := c.do("move_file", map[string]any{"source": "Hub.md", "destination": "Deep/er/Centre.md"})
	must(t, err)
	t.Logf("%s (%s)", said, time.Since(began).Round(time.Millisecond))
	if broken, err := c.do("get_links", map[string]any{"mode": "unresolved"}); err != nil || !strings.HasPrefix(broken, "Every link") {
		t.Errorf("after the move: %s, %v", broken, err)
	}
	if links, err := c.do("get_links", map[string]any{"path": "Deep/er/Centre.md", "mode": "backlinks"}); err != nil || !strings.Contains(links, "500 files") {
		t.Errorf("after the move: %.200s, %v", links, err)
	}
	if r := h.run(0, nil, "undo"); r.status != 0 {
		t.Fatalf("undo: %s%s", r.out, r.err)
	}
	if d := differences(files(h.vault), before); len(d) > 0 {
		t.Errorf("after undo %d files differ: %.3q", len(d), d)
	}
}

// TestMCPKilledAtAnyInstant kills servers while they change notes: nothing is torn, each call that was
// answered has happened whole, and the next start is clean.
func TestMCPKilledAtAnyInstant(t *testing.T) {
	bin := binary(t)
	parallel(rounds(10, 500), func(i int) {
		random := rand.New(rand.NewPCG(uint64(i), 1))
		h := newHome(t, scratch(t), bin, nil, map[string]string{"A.md": "# A\n[[B]]\n", "B.md": "# B\n", "C.md": "see [[B]]\n"})
		c, err := h.mcpClient("doomed")
		if err != nil {
			t.Error(err)
			return
		}
		kill := time.AfterFunc(time.Duration(random.IntN(60))*time.Millisecond, func() { _ = c.process.Process.Kill() })
		answered := 0
		for n := 0; ; n++ {
			from, to := "B.md", "F/D.md"
			if n%2 == 1 {
				from, to = to, from
			}
			if _, err := c.do("move_file", map[string]any{"source": from, "destination": to}); err != nil {
				break
			}
			answered++
		}
		kill.Stop()
		_ = c.process.Process.Kill()
		_ = c.Close()
		next, err := h.mcpClient("next")
		if err != nil {
			t.Errorf("kill %d: the next start: %v", i, err)
			return
		}
		defer func() { _ = next.Close() }()
		if broken, err := next.do("get_links", map[string]any{"mode": "unresolved"}); err != nil || !strings.HasPrefix(broken, "Every link") {
			t.Errorf("kill %d, after %d moves: %s, %v", i, answered, broken, err)
		}
		list, err := next.do("list_files", map[string]any{"pattern": "**/*.md"})
		if err != nil || strings.Count(list, "[file]") != 3 {
			t.Errorf("kill %d, after %d moves: %s, %v", i, answered, list, err)
		}
		for _, bad := range append(h.torn(), h.temporary()...) {
			t.Errorf("kill %d: %s", i, bad)
		}
	})
}
