package e2e

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// offeredTools returns the tools in the only request so far, without those of MCP servers, and the number of the
// latter.
func offeredTools(t *testing.T, srv *llmtest.Server) (vault []string, servers int) {
	t.Helper()
	if !srv.AwaitRequests(1, patience) {
		t.Fatal("no request came")
	}
	for _, name := range srv.Requests()[0].Chat.ToolNames() {
		if strings.Contains(name, "__") {
			servers++
		} else {
			vault = append(vault, name)
		}
	}
	return vault, servers
}

// However many tools MCP servers have, and however long their descriptions are, the model is offered every tool of the
// vault. Every front-end reports once which tools of servers do not fit.
func TestServerToolsDoNotReplaceVaultTools(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	more := func(h badServer) string { // two servers beside
		var out string
		for _, name := range []string{"second", "third"} {
			out += fmt.Sprintf("[mcp.%s]\ncommand = %q\nenv = {%s = %q}\n", name, self, hostileServer, h.file)
		}
		return out
	}
	const notice = "There is no room for all tools"
	for _, tt := range []struct {
		name, settings string
		three          bool
		least, most    int // tools of servers
	}{
		{"all in fewer words", "", false, 64, 64},
		{"a medium window", "context_window = 32000\n", false, 64, 64},
		{"a small window", "context_window = 10000\n", false, 1, 60},
		{"a very small window", "context_window = 8000\n", false, 0, 60},
		{"three servers", "context_window = 400000\n", true, 80, 128},
	} {
		for _, front := range []string{"chat", "lines", "ask", "acp"} {
			t.Run(tt.name+" "+front, func(t *testing.T) {
				if testing.Short() && front != "ask" {
					t.Skip("the others in full runs")
				}
				t.Parallel()
				h := newBadServer(t, "offers 64", tt.settings)
				if tt.three {
					config := h.dir + "/c/chatvault/config.toml"
					data, err := os.ReadFile(config)
					if err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(config, append(data, more(h)...), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				alone := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
				if err := os.MkdirAll(alone.dir+"/c/chatvault", 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(alone.dir+"/c/chatvault/config.toml", []byte(tt.settings), 0o600); err != nil {
					t.Fatal(err)
				}
				srv, without := llmtest.New(t, llmtest.Reply("First."), llmtest.Reply("Second.")), llmtest.New(t, llmtest.Reply("Done."))
				var screen string
				converse := func(h askHome, srv *llmtest.Server, again bool) {
					switch front {
					case "acp":
						e := h.editor(t, editorWith{srv: srv})
						session := e.open(h.vault)
						e.prompt(session, "go")
						if again {
							e.prompt(session, "go on")
							e.prompt(session, "/mcp")
							screen = e.texts("agent_message_chunk") + e.texts("agent_thought_chunk")
						}
						e.leave()
						return
					case "ask":
						x := h.run(t, srv, nil, "ask", "go")
						x.Wait(patience)
						screen = x.Screen()
						return
					case "lines":
						x := h.run(t, srv, nil, "--accessible")
						x.WaitFor("You:", patience)
						x.Type("go\n")
						srv.AwaitRequests(1, patience)
						if again {
							x.WaitFor("First.", patience)
							x.Type("go on\n")
							x.WaitFor("Second.", patience)
							x.Type("/mcp\n")
							x.WaitFor("/mcp log NAME", patience)
						}
						screen = x.Screen()
						x.Send("\x04")
						x.Wait(patience)
						return
					}
					x := h.run(t, srv, nil)
					x.WaitFor("Ask about your notes", patience)
					x.Type("go")
					x.Press("enter")
					srv.AwaitRequests(1, patience)
					if again {
						x.WaitFor("First.", patience)
						x.Type("go on")
						x.Press("enter")
						x.WaitFor("Second.", patience)
						screen = x.Screen()
						x.Type("/mcp")
						x.Press("enter")
						x.WaitFor("/mcp log NAME", patience)
						if strings.Contains(x.Screen(), "no room for ") {
							screen += "no room for "
						}
					}
				}
				converse(alone, without, false)
				screen = ""
				converse(h.askHome, srv, true)
				want, _ := offeredTools(t, without)
				vault, n := offeredTools(t, srv)
				slices.Sort(want)
				slices.Sort(vault)
				if !slices.Equal(vault, want) || len(vault) < 9 {
					t.Errorf("of the vault: %q, not %q", vault, want)
				}
				if n < tt.least || n > tt.most || n+len(vault) > 128 {
					t.Errorf("%d tools of servers beside %d", n, len(vault))
				}
				flat := strings.Join(strings.Fields(screen), " ")
				told, left := strings.Count(flat, notice), tt.least < 64 || tt.three
				if left && (told != 1 || !strings.Contains(flat, "__t1-")) || !left && told != 0 {
					t.Errorf("told %d times:\n%s", told, screen)
				}
				if left && front != "ask" && !strings.Contains(flat, "no room for ") {
					t.Errorf("/mcp does not list them:\n%s", screen)
				}
			})
		}
	}
}

// A server that announces other tools a thousand times a second is read once a second. Its tools are replaced, so
// memory stays bounded.
func TestServerThatAnnouncesToolsOften(t *testing.T) {
	t.Parallel()
	h := newBadServer(t, "announces 64", "")
	srv := llmtest.New(t, llmtest.Reply("First."), llmtest.Reply("Second."))
	x := h.run(t, srv, nil)
	x.WaitFor("Ask about your notes", patience)
	x.Type("go")
	x.Press("enter")
	x.WaitFor("First.", patience)
	before := strings.Count(h.log(t), "listed")
	const seconds = 8
	began := time.Now()
	time.Sleep(seconds * time.Second)
	listed := strings.Count(h.log(t), "listed") - before
	if most := int(time.Since(began)/time.Second) + 2; listed > most || listed < 2 {
		t.Errorf("its tools were read %d times in %v", listed, time.Since(began))
	}
	x.Type("again")
	x.Press("enter")
	x.WaitFor("Second.", patience)
	for i, r := range srv.Requests() {
		of := map[string]bool{} // the lists of which it has tools
		for _, name := range r.Chat.ToolNames() {
			if round, _, ok := strings.Cut(strings.TrimPrefix(name, "hostile__t"), "-"); ok && strings.HasPrefix(name, "hostile__") {
				of[round] = true
			}
		}
		if len(of) != 1 {
			t.Errorf("request %d offers tools of %d lists", i+1, len(of))
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", x.PID()))
	if err != nil {
		t.Skip("the system does not tell how much memory a process took")
	}
	kb, err := strconv.Atoi(peak.FindStringSubmatch(string(status))[1])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("at most %d MB, %d lists in %d s", kb>>10, listed, seconds)
	if kb > 100<<10 {
		t.Errorf("it took %d MB", kb>>10)
	}
}

// An endless list of tools is read up to a limit, and its tools are used.
func TestServerThatListsToolsEndlessly(t *testing.T) {
	t.Parallel()
	h := newBadServer(t, "pages", "")
	srv := llmtest.New(t, llmtest.Reply("Done.", llmtest.Expect(`tools contains "hostile__do"`)))
	x := h.run(t, srv, nil, "ask", "go")
	x.WaitFor("Done.", patience)
	x.Wait(patience)
	if n := strings.Count(h.log(t), "listed"); n != 100 {
		t.Errorf("%d pages were read", n)
	}
}
