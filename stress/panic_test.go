//go:build unix

package stress

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// Where a goroutine panics, and how it is brought to pass there. A point is "goroutine NAME", its
// start, or "round NAME", something that it does again and again.
var (
	// atStart are passed as the chat opens.
	atStart = []string{
		"goroutine agent background", "goroutine agent worker", "goroutine index", "goroutine index listen", "goroutine interrupted",
		"goroutine sweep",
		"goroutine walk", "goroutine window closed", "round agent background",
	}

	// inTheChat are passed when something is done in a chat in which a turn runs, a message is
	// queued and a draft is written.
	inTheChat = map[string]func(chat){
		"round agent worker":  func(c chat) { c.Press("esc") }, // the turn ends, the next one begins
		"goroutine smarthole": func(c chat) { c.Press("ctrl+u"); c.send("/smarthole on") },
	}

	// contained fail what they work for, a turn or a tool call or a convenience, and the chat goes on.
	contained = map[string]func(chat){
		"goroutine tool call": func(c chat) { c.send("look: around") },
		"goroutine folders":   func(c chat) { c.send("move: please do it") },
		"round index":         func(c chat) { _ = os.WriteFile(filepath.Join(c.h.vault, "other.md"), []byte("theirs"), 0o644) },
	}

	// elsewhere are held by another test, or begin in the same way and need what is not here.
	elsewhere = map[string]string{
		"ask signals": "TestPanicsOfAsk", "ask leave": "TestPanicsOfAsk", "consent": "TestPanicsOfAsk", "serve log": "TestPanicsOfAsk",
		"acp request": "TestPanicsOfAnEditor", "acp events": "TestPanicsOfAnEditor", "acp models": "TestPanicsOfAnEditor", "acp consent": "TestPanicsOfAnEditor", "close session": "TestPanicsOfAnEditor",
		"window rescue":        "as any that stands alone; once a window is closed and the chat does not end",
		"walk halt":            "ends a walk that is stopped, as TestWalkPanicReachesCaller has it",
		"index the notes":      "as any that stands alone; it begins with a search by topic, and ends with it",
		"rank":                 "of the offline engine, whose caller is a turn (routine.Group)",
		"conversation search":  "its caller is a turn or a command of the screen (routine.Group)",
		"list models":          "of the chat as lines, while it asks providers (routine.Join)",
		"keyring":              "needs a session bus; recovers for its caller",
		"look for a provider":  "as any that stands alone; where no provider is set",
		"list of models":       "as any that stands alone; while models are listed",
		"line events":          "as any that stands alone; of the chat in lines, which has no screen",
		"typed lines":          "as any that stands alone; of the chat in lines, which has no screen",
		"probe":                "as any that stands alone; no server is looked for where a provider is set",
		"opener":               "needs a program that opens URLs",
		"mcp stdio":            "as any that stands alone; of `chatvault mcp`",
		"mcp subscriptions":    "as any that stands alone; of a client's session of `chatvault mcp`",
		"mcp answered":         "as any that stands alone; of a request to `chatvault mcp`",
		"mcp server":           "where servers of MCP are configured (routine.Join)",
		"mcp session":          "where servers of MCP are configured (routine.Join)",
		"mcp servers":          "as any that stands alone; where servers of MCP are configured",
		"mcp end":              "as any that stands alone; where servers of MCP are configured",
		"mcp close":            "as any that stands alone; where servers of MCP are configured",
		"mcp process":          "as any that stands alone; where servers of MCP are configured",
		"mcp call":             "as any that stands alone; where servers of MCP are configured",
		"look at a vault":      "as any that stands alone",
		"idle watch":           "a timer that fires after a minute of silence",
		"end of body":          "a timer that fires where an endpoint does not end its answer",
		"index settle":         "as any that stands alone, at the end of the index; it cancels a context",
		"smarthole connection": "needs a SmartHole; recovers itself",
		"screen output":        "as any that stands alone; it writes to the terminal, which then shows no more",
		"agent cut":            "a timer of the end of the program; it cuts what the background still does",
		"finish":               "a timer of the end of ask, after a second; it prints a line",
		"end after a panic":    "is what ends the process",
		"overdue":              "is what ends the process",
	}
)

// TestPanicsAtTheStart: a goroutine that panics as the chat opens.
func TestPanicsAtTheStart(t *testing.T) {
	bin := failing(t)
	for _, point := range some(atStart, 3) {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, scratch(t), bin, model(t), map[string]string{"Home.md": "# Home\n", "a/b.md": "x\n"})
			began := time.Now()
			c := h.start(t, "CHATVAULT_FAILPOINT=panic "+point+" 1", "CHATVAULT_SMARTHOLE=true") // its goroutine needs the setting
			if code := c.ends(t, began); code != 1 {
				t.Errorf("exit status %d\n%s", code, c.Screen())
			}
			if r := h.report(t); !strings.Contains(r, "on purpose at the failpoint "+point) || !strings.Contains(r, "goroutine ") {
				t.Errorf("the report says %q", r)
			}
			c = h.open(t) // nothing is wrong afterwards
			c.send("hello")
			c.WaitFor("It is done.", patience)
		})
	}
}

// TestPanicsInTheChat: a goroutine that panics in the middle of everything. Out within two
// seconds, the terminal restored, a report that nobody else reads, and all is back at the next
// start: the message whose turn ran, the one that was queued, and the draft.
func TestPanicsInTheChat(t *testing.T) {
	bin := failing(t)
	for _, point := range some(slices.Sorted(maps.Keys(inTheChat)), 3) {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, llmtest.Say(llmtest.Text("I have begun"), llmtest.Flush(), llmtest.Hang(), llmtest.Forever()))
			h := newHome(t, scratch(t), bin, srv, map[string]string{"Home.md": "# Home\n"})
			now := filepath.Join(h.dir, "now")
			c := h.open(t, "CHATVAULT_FAILPOINT=panic "+point+" 1", "CHATVAULT_FAILPOINT_WHEN="+now)
			c.send("the first message")
			c.WaitFor("I have begun", patience)
			c.send("the second message")
			c.WaitFor("→ ", patience)
			c.Type("half a thought")
			h.saved(t, "half a thought")
			must(t, os.WriteFile(now, nil, 0o600))
			began := time.Now()
			inTheChat[point](c)
			if code := c.ends(t, began); code != 1 {
				t.Errorf("exit status %d\n%s", code, c.Screen())
			}
			if out := c.Screen(); !strings.Contains(out, "chatvault failed") {
				t.Errorf("it says\n%s", out)
			}
			if r := h.report(t); !strings.Contains(r, "on purpose at the failpoint "+point) {
				t.Errorf("the report says %q", r)
			}
			kept, _ := filepath.Glob(h.state("inbox", "*.json"))
			want := 2
			if point == "round agent worker" {
				want = 1 // the first one was given up by Esc
			}
			if len(kept) != want {
				t.Errorf("%d messages are kept, want %d", len(kept), want)
			}
			c = h.start(t)
			if want == 2 {
				c.WaitFor("the first message", patience) // it is resumed, the other waits
				c.WaitFor("the second message", patience)
			} else {
				c.WaitFor("the second message", patience)
			}
			if point != "goroutine smarthole" { // where the draft was deleted to type the command
				c.WaitFor("half a thought", patience)
			}
		})
	}
}

// TestPanicsThatAreContained: the chat goes on.
func TestPanicsThatAreContained(t *testing.T) {
	bin := failing(t)
	for _, point := range some(slices.Sorted(maps.Keys(contained)), 2) {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			srv := model(t, llmtest.Say(
				llmtest.Call("read_file", map[string]any{"path": "Home.md"}), llmtest.Call("read_file", map[string]any{"path": "list.md"}),
				llmtest.When(`user matches "^look:"`), llmtest.When("no result yet")))
			notes := linked()
			notes["Home.md"], notes["list.md"] = "# Home\n", "# List\n- first\n"
			h := newHome(t, scratch(t), bin, srv, notes)
			now, log := filepath.Join(h.dir, "now"), filepath.Join(h.dir, "passed")
			c := h.open(t, "CHATVAULT_FAILPOINT=panic "+point+" 1", "CHATVAULT_FAILPOINT_WHEN="+now, "CHATVAULT_FAILPOINT_LOG="+log)
			c.WaitIdle(200*time.Millisecond, patience)
			must(t, os.WriteFile(now, nil, 0o600))
			contained[point](c)
			for end := time.Now().Add(patience); !strings.Contains(passed(log), point+"\n"); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%q was not passed\n%s", point, c.Screen())
				}
			}
			c.WaitIdle(200*time.Millisecond, patience)
			c.send("hello again")
			c.WaitUntil("an answer after the panic", patience, func(s string) bool {
				_, after, ok := strings.Cut(s, "hello again")
				return ok && strings.Contains(after, "It is done.")
			})
			if reports, _ := filepath.Glob(h.state("crash-*.txt")); len(reports) > 0 {
				t.Errorf("it is taken for the program's end: %s", read(t, reports[0]))
			}
		})
	}
}

func passed(log string) string {
	data, _ := os.ReadFile(log)
	return string(data)
}

// TestPanicsOfAsk: the commands without a screen end with a message, a report and status 1; the
// last line of --json is an error.
func TestPanicsOfAsk(t *testing.T) {
	t.Parallel()
	bin := failing(t)
	srv := model(t, llmtest.Say(llmtest.Text("I have begun"), llmtest.Flush(), llmtest.Hang(), llmtest.When(`user matches "^hang"`), llmtest.Forever()),
		llmtest.Reply("# Trees\n\n| tree | age |\n|---|---|\n"+strings.Repeat("| oak | 90 |\n", 30), llmtest.When(`user matches "^table:"`)))
	fresh := func() *home {
		return newHome(t, scratch(t), bin, srv, map[string]string{"log.md": "# Log\n"})
	}
	at := func(point string) []string { return []string{"CHATVAULT_FAILPOINT=panic " + point + " 1"} }

	for _, point := range []string{"goroutine ask signals", "goroutine agent worker", "round agent worker"} {
		h := fresh()
		r := h.run(0, at(point), "ask", "--json", "hello")
		lines := strings.Split(strings.TrimSpace(r.out), "\n")
		if r.status != 1 || !strings.Contains(lines[len(lines)-1], `"type":"error"`) || !strings.Contains(r.err, "A report is in") {
			t.Errorf("%s: %d\n%s\n%s", point, r.status, r.out, r.err)
		}
		h.report(t)
		// It is kept before that is said: the panic may come between.
		if inbox, _, _ := h.kept("hello"); inbox < len(r.accepted()) || inbox > 1 {
			t.Errorf("%s: %d messages are kept, %d were accepted", point, inbox, len(r.accepted()))
		}
	}

	h := fresh()
	if r := h.run(0, append(at("goroutine serve log"), "CHATVAULT_SMARTHOLE=true"), "serve"); r.status != 1 || !strings.Contains(r.err, "A report is in") {
		t.Errorf("serve: %d %s", r.status, r.err)
	}

	h = fresh() // asked for consent, in a terminal
	x := ptytest.Start(t, ptytest.Options{Path: bin, Args: h.args("--approval", "writes", "ask", "append: please do it"), Dir: h.dir, Env: h.environment(at("goroutine consent")...)})
	if code := x.Wait(patience); code != 1 || len(x.LeftBehind()) > 0 {
		t.Errorf("consent: %d, left %v\n%s", code, x.LeftBehind(), x.Screen())
	}
	h.report(t)
	if got := read(t, filepath.Join(h.vault, "log.md")); got != "# Log\n" {
		t.Errorf("it was done without consent: %q", got)
	}

	for point, sig := range map[string]os.Signal{"round ask signals": os.Interrupt, "goroutine ask leave": syscall.SIGTERM} {
		h = fresh()
		x = ptytest.Start(t, ptytest.Options{Path: bin, Args: h.args("ask", "hang on"), Dir: h.dir, Env: h.environment(at(point)...)})
		x.WaitFor("I have begun", patience)
		x.Signal(sig)
		if code := x.Wait(patience); code != 1 {
			t.Errorf("%s: %d\n%s", point, code, x.Screen())
		}
		if inbox, _, _ := h.kept("hang on"); inbox != 1 {
			t.Errorf("%s: the message is kept %d times", point, inbox)
		}
	}
}

// some is all of a list in `make stress`, else n of it, others each time.
func some(all []string, n int) []string {
	if long() {
		return all
	}
	all = slices.Clone(all)
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// TestEveryGoroutineIsTold holds that each goroutine the product starts is in the tables above.
func TestEveryGoroutineIsTold(t *testing.T) {
	told := func(name string) bool {
		_, other := elsewhere[name]
		for _, prefix := range []string{"goroutine ", "round "} {
			_, inside := inTheChat[prefix+name]
			_, kept := contained[prefix+name]
			other = other || inside || kept || slices.Contains(atStart, prefix+name)
		}
		return other
	}
	seen := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "stress", "bench", "routine"}, d.Name())):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // the build says so
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if name, err := strconv.Unquote(startedName(call)); err == nil {
					seen[name] = true
				}
			}
			return true
		})
		return nil
	})
	must(t, err)
	for name := range seen {
		if !told(name) {
			t.Errorf("the goroutine %q is in none of the tables: say where it panics", name)
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d goroutines were seen: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
	for name := range elsewhere {
		if !seen[name] {
			t.Errorf("there is no goroutine %q any more", name)
		}
	}
	t.Log(fmt.Sprint(len(seen), " goroutines"))
}

// startedName is the literal by which a call names the goroutine that it starts; "": it starts none.
func startedName(call *ast.CallExpr) string {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) < 2 {
		return ""
	}
	name := call.Args[0]
	switch f.Sel.Name {
	case "Go", "Guard":
	case "Join":
		if of, ok := f.X.(*ast.Ident); !ok || of.Name != "routine" {
			return ""
		}
		name = call.Args[1]
	default:
		return ""
	}
	if lit, ok := name.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		return lit.Value
	}
	return ""
}
