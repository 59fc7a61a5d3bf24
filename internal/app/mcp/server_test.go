package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/adrg/xdg"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
)

// vaultOf creates a vault of files, with a separate home folder.
func vaultOf(t testing.TB, files map[string]string) string {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	t.Cleanup(xdg.Reload) // runs after the settings below are undone
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, home)
	}
	xdg.Reload() // xdg reads the variables only at startup
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// open opens a vault with lines of settings.
func open(t testing.TB, dir, settings string, o Options) *Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	sources := config.Sources{VaultDir: dir, UserFile: file}
	cfg, err := config.Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	notes, err := session.OpenNotes(context.Background(), session.Options{Config: cfg, Dir: dir, Sources: sources})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(notes.Close)
	s, err := New(notes, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// connect returns a client of the server.
func connect(t testing.TB, s *Server, name string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	served, err := s.sdk.Connect(context.Background(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, o).Connect(context.Background(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		_ = served.Wait()
	})
	return c
}

// call calls a tool and returns the text of the result.
func call(t testing.TB, c *sdk.ClientSession, tool string, args map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return textOf(r), r.IsError
}

func textOf(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if c, ok := c.(*sdk.TextContent); ok {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

// mustCall calls a tool that must succeed.
func mustCall(t testing.TB, c *sdk.ClientSession, tool string, args map[string]any) string {
	t.Helper()
	text, failed := call(t, c, tool, args)
	if failed {
		t.Fatalf("%s: %s", tool, text)
	}
	return text
}

func TestToolsAreDescribed(t *testing.T) {
	s := open(t, vaultOf(t, map[string]string{"A.md": "a\n"}), "", Options{Version: "1"})
	c := connect(t, s, "probe", nil)
	seen := map[string]*sdk.Tool{}
	for tool, err := range c.Tools(context.Background(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		seen[tool.Name] = tool
		if tool.Title == "" || tool.Description == "" || tool.InputSchema == nil || tool.Annotations == nil || *tool.Annotations.OpenWorldHint {
			t.Errorf("%s is not described: %+v", tool.Name, tool)
		}
	}
	for _, name := range []string{"read_file", "write_file", "move_file", "find_notes", "get_tags", "list_tasks", "get_links", "get_properties", "set_property", "daily_note", "changes", "undo"} {
		if seen[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{"send_message", "ask_user", "delegate", "end_conversation", "get_conversation", "task_list"} {
		if seen[name] != nil {
			t.Errorf("%s is of a conversation", name)
		}
	}
	if a := seen["read_file"].Annotations; !a.ReadOnlyHint || a.Title != "Read file" {
		t.Errorf("read_file: %+v", a)
	}
	if a := seen["append_file"].Annotations; a.ReadOnlyHint || *a.DestructiveHint || a.IdempotentHint {
		t.Errorf("append_file: %+v", a)
	}
	if a := seen["write_file"].Annotations; !*a.DestructiveHint || !a.IdempotentHint {
		t.Errorf("write_file: %+v", a)
	}
}

func TestOnlyOfferedTools(t *testing.T) {
	dir := vaultOf(t, map[string]string{"A.md": "a\n"})
	names := func(o Options) (out []string) {
		for tool, err := range connect(t, open(t, dir, "", o), "probe", nil).Tools(context.Background(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if o.ReadOnly && !tool.Annotations.ReadOnlyHint {
				t.Errorf("%s changes notes", tool.Name)
			}
			out = append(out, tool.Name)
		}
		return out
	}
	if got := names(Options{ReadOnly: true}); !slices.Contains(got, "read_file") || slices.Contains(got, "undo") {
		t.Errorf("read-only: %q", got)
	}
	if got := names(Options{Tools: []string{"undo", "read_file"}}); !slices.Equal(got, []string{"read_file", "undo"}) {
		t.Errorf("only two: %q", got)
	}
	notes, err := session.OpenNotes(context.Background(), session.Options{Config: &config.Config{}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer notes.Close()
	if _, err := New(notes, Options{Tools: []string{"read_fil"}}); err == nil || !strings.Contains(err.Error(), `there is no tool "read_fil"; the tools are: append_file, `) {
		t.Errorf("an unknown tool: %v", err)
	}
}

func TestCallsAreTurns(t *testing.T) {
	dir := vaultOf(t, map[string]string{"A.md": "# A\r\nsee [[B]]\r\n", "B.md": "\ufeff# B\n", "D.md": "kept"})
	s := open(t, dir, "", Options{})
	c := connect(t, s, "Claude\x1b[2J Code", nil)
	mustCall(t, c, "move_file", map[string]any{"source": "B.md", "destination": "F/C.md"})
	if got := read(t, dir, "A.md"); got != "# A\r\nsee [[C]]\r\n" {
		t.Errorf("after the move: %q", got)
	}
	mustCall(t, c, "write_file", map[string]any{"path": "D.md", "content": "other"})
	r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "changes"})
	if err != nil {
		t.Fatal(err)
	}
	var turns changedTurns
	data, _ := json.Marshal(r.StructuredContent)
	if err := json.Unmarshal(data, &turns); err != nil || len(turns.Turns) != 2 {
		t.Fatalf("%s: %v", data, err)
	}
	move := turns.Turns[1]
	if move.Source != "mcp" || move.Title != "Claude␛[2J Code: move_file B.md → F/C.md" || move.State != "" {
		t.Errorf("the move is %+v", move)
	}
	var shown changedTurns
	if err := json.Unmarshal([]byte(textOf(r)), &shown); err != nil || !reflect.DeepEqual(shown, turns) {
		t.Errorf("the text is %s", textOf(r))
	}
	mustCall(t, c, "undo", nil)                                // the last turn
	mustCall(t, c, "undo", map[string]any{"id": move.ID[:19]}) // by a prefix of the ID
	for name, want := range map[string]string{"A.md": "# A\r\nsee [[B]]\r\n", "B.md": "\ufeff# B\n", "D.md": "kept"} {
		if got := read(t, dir, name); got != want {
			t.Errorf("%s is %q after undo", name, got)
		}
	}
	if text, failed := call(t, c, "undo", nil); !failed || !strings.Contains(text, "changed nothing in this session") {
		t.Errorf("undo with an empty journal: %s", text)
	}
	if text, failed := call(t, connect(t, open(t, dir, "", Options{}), "other", nil), "undo", nil); !failed || !strings.Contains(text, "changed nothing in this session") {
		t.Errorf("another client's undo: %s", text)
	}
}

func TestStaleWriteIsRefused(t *testing.T) {
	dir := vaultOf(t, map[string]string{"A.md": "one\n"})
	a, b := connect(t, open(t, dir, "", Options{}), "a", nil), connect(t, open(t, dir, "", Options{}), "b", nil)
	mustCall(t, a, "read_file", map[string]any{"path": "A.md"})
	mustCall(t, b, "append_file", map[string]any{"path": "A.md", "content": "two"})
	if text, failed := call(t, a, "write_file", map[string]any{"path": "A.md", "content": "mine\n"}); !failed || !strings.Contains(text, "changed on disk") {
		t.Errorf("a changed note was overwritten: %s", text)
	}
	mustCall(t, a, "append_file", map[string]any{"path": "A.md", "content": "three"}) // an append overwrites nothing
	if got := read(t, dir, "A.md"); got != "one\n\ntwo\n\nthree\n" {
		t.Errorf("the note is %q", got)
	}
}

func TestPrivateNotesAreHidden(t *testing.T) {
	dir := vaultOf(t, map[string]string{"A.md": "see [[Diary/Me]]\n", "Diary/Me.md": "secret words\n", ".obsidian/app.json": "{}"})
	c := connect(t, open(t, dir, `private = ["Diary/"]`, Options{}), "probe", nil)
	for _, args := range []struct {
		tool string
		args map[string]any
	}{
		{"read_file", map[string]any{"path": "Diary/Me.md"}},
		{"read_file", map[string]any{"path": ".obsidian/app.json"}},
		{"read_file", map[string]any{"path": "../" + filepath.Base(dir) + "/A.md"}},
		{"move_file", map[string]any{"source": "Diary/Me.md", "destination": "Me.md"}},
		{"write_file", map[string]any{"path": "Diary/New.md", "content": "x"}},
	} {
		if text, failed := call(t, c, args.tool, args.args); !failed || strings.Contains(text, "secret") {
			t.Errorf("%v: %s", args, text)
		}
	}
	for _, tool := range []string{"search_files", "find_notes"} {
		if text, _ := call(t, c, tool, map[string]any{"pattern": "secret", "query": "secret words"}); strings.Contains(text, "Diary/Me.md") {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

func TestTurnsOmitPrivateNotes(t *testing.T) {
	dir := vaultOf(t, map[string]string{"A.md": "a\n"})
	c := connect(t, open(t, dir, "", Options{}), "probe", nil)
	mustCall(t, c, "write_file", map[string]any{"path": "Diary/Me.md", "content": "x"})
	mustCall(t, c, "write_file", map[string]any{"path": "B.md", "content": "x"})
	var turns changedTurns
	if err := json.Unmarshal([]byte(mustCall(t, c, "changes", nil)), &turns); err != nil || len(turns.Turns) != 2 {
		t.Fatalf("%+v, %v", turns, err)
	}
	id := turns.Turns[1].ID
	c = connect(t, open(t, dir, `private = ["Diary/"]`, Options{}), "probe", nil)
	if text := mustCall(t, c, "changes", nil); strings.Contains(text, "Diary") || !strings.Contains(text, "B.md") {
		t.Errorf("changes: %s", text)
	}
	if text, failed := call(t, c, "undo", map[string]any{"id": id}); !failed || !strings.Contains(text, "The journal has no turn") {
		t.Errorf("undo of a private change: %s", text)
	}
}

func TestConsent(t *testing.T) {
	for _, version := range []string{"2025-06-18", ""} { // the server asks itself, or returns an error that tells the client to ask
		t.Run(version, func(t *testing.T) {
			dir := vaultOf(t, map[string]string{"A.md": "a\n", "B.md": "[[A]]\n"})
			s := open(t, dir, `approval = "writes"`, Options{})
			if text, failed := call(t, connect(t, s, "mute", nil), "write_file", map[string]any{"path": "A.md", "content": "x"}); !failed || !strings.Contains(text, "--approval off") {
				t.Errorf("a client that cannot ask: %s", text)
			}
			var asked []string
			answer := &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": "Allow once"}}
			whileAsking, fault := func() {}, error(nil)
			here, there := sdk.NewInMemoryTransports()
			if _, err := s.sdk.Connect(context.Background(), there, nil); err != nil {
				t.Fatal(err)
			}
			c, err := sdk.NewClient(&sdk.Implementation{Name: "probe"}, &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				asked = append(asked, r.Params.Message)
				whileAsking()
				return answer, fault
			}}).Connect(context.Background(), here, &sdk.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			mustCall(t, c, "move_file", map[string]any{"source": "A.md", "destination": "C.md"})
			if len(asked) != 1 || !strings.Contains(asked[0], "Move A.md to C.md") || !strings.Contains(asked[0], "1 link in 1 note") {
				t.Fatalf("asked: %q", asked)
			}
			for _, no := range []*sdk.ElicitResult{{Action: "decline"}, {Action: "cancel"}, {Action: "accept", Content: map[string]any{"answer": "No"}}} {
				answer = no
				if text, failed := call(t, c, "write_file", map[string]any{"path": "C.md", "content": "x"}); !failed || !strings.Contains(text, "denied") {
					t.Errorf("%+v: %s", no, text)
				}
			}
			if text, failed := call(t, c, "undo", nil); !failed || !strings.Contains(text, "denied") {
				t.Errorf("undo: %s", text)
			}
			if version != "" { // a newer client asks by itself
				fault = &jsonrpc.Error{Code: -32000, Message: "no forms here"}
				if text, failed := call(t, c, "delete_file", map[string]any{"path": "C.md"}); !failed || !strings.Contains(text, "no forms here") || !strings.Contains(text, "Nothing was changed") {
					t.Errorf("a client that fails to ask: %s", text)
				}
				fault = nil
			}
			if got := read(t, dir, "C.md"); got != "a\n" {
				t.Errorf("denied, but the note is %q", got)
			}
			answer = &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": "Allow once"}}
			whileAsking = func() { write(t, dir, "C.md", "changed meanwhile\n") } // no lock is held while asking
			if text, failed := call(t, c, "append_file", map[string]any{"path": "C.md", "content": "more"}); !failed || !strings.Contains(text, "not what the user was shown") && !strings.Contains(text, "changed") {
				t.Errorf("a change that was not shown: %s", text)
			}
			whileAsking = func() {}
			write(t, dir, "C.md", "a\n")
			mustCall(t, c, "undo", nil)
			if got := read(t, dir, "B.md"); got != "[[A]]\n" {
				t.Errorf("after undo: %q", got)
			}
		})
	}
}

// TestConsentForm: the question begins with what changes, has one field with plain answers, and "always" holds for that kind
// of change, without destructive ones, in this session.
func TestConsentForm(t *testing.T) {
	dir := vaultOf(t, map[string]string{"A.md": "one\ntwo\nthree\nfour\n"})
	s := open(t, dir, `approval = "writes"`, Options{})
	var asked []*sdk.ElicitParams
	answer := "Always allow this kind of change in this session"
	o := &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		asked = append(asked, r.Params)
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}}, nil
	}}
	c := connect(t, s, "probe", o)
	edit := func(old, new string) {
		mustCall(t, c, "edit_file", map[string]any{"path": "A.md", "old_text": old, "new_text": new})
	}
	edit("two", "2")
	if want := "Edit A.md? (−1 +1 lines)\n-two\n+2\n\n@@ -1,4 +1,4 @@\n one\n-two\n+2\n three\n four\n\nEvery change waits (approval = writes)."; len(asked) != 1 || asked[0].Message != want {
		t.Fatalf("%q", asked[0].Message)
	}
	data, _ := json.Marshal(asked[0].RequestedSchema)
	if want := `{"properties":{"answer":{"enum":["Allow once","Always allow this kind of change in this session","No"],"title":"Allow it?","type":"string"}},"required":["answer"],"type":"object"}`; string(data) != want {
		t.Errorf("%s", data)
	}
	if edit("three", "3"); len(asked) != 1 {
		t.Errorf("asked again: %q", asked[1].Message)
	}
	answer = "No"
	for _, row := range []struct {
		tool string
		args map[string]any
	}{
		{"edit_file", map[string]any{"path": "A.md", "old_text": "one\n2\n3\n", "new_text": ""}}, // more than half
		{"write_file", map[string]any{"path": "B.md", "content": "x"}},
		{"delete_file", map[string]any{"path": "A.md"}},
		{"undo", nil},
		{"undo", map[string]any{"since": "1h"}},
	} {
		before := len(asked)
		if text, failed := call(t, c, row.tool, row.args); !failed || len(asked) != before+1 {
			t.Errorf("%s was allowed: %s", row.tool, text)
		}
	}
	for i, want := range []string{
		"Edit A.md? (−3 +0 lines)\n-one\n\n@@ -1,4 +1 @@\n-one\n-2\n-3\n four\n\nremoves 3 of 4 lines\n\nEvery change waits",
		"Create B.md? (−0 +1 lines)\n+x\n\n@@ -0,0 +1 @@\n+x\n",
		"Delete A.md?\n",
		"Take back the turn 2",
		"Take back 2 turns since ",
	} {
		if got := asked[i+1].Message; !strings.HasPrefix(got, want) {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
	data, _ = json.Marshal(asked[len(asked)-1].RequestedSchema)
	if !strings.Contains(string(data), `"enum":["Allow once","No"]`) {
		t.Errorf("an undo is allowed only once: %s", data)
	}
}

// TestWrongArguments: invalid arguments of the server's own tools are errors that name them.
func TestWrongArguments(t *testing.T) {
	c := connect(t, open(t, vaultOf(t, map[string]string{"A.md": "a\n"}), "", Options{}), "probe", nil)
	for _, row := range []struct {
		tool string
		args any
		want string
	}{
		{"changes", map[string]any{"nonsense": 1}, `unexpected additional properties ["nonsense"]`},
		{"changes", map[string]any{"max_results": "many"}, `max_results`},
		{"undo", map[string]any{"ID": "x"}, `unexpected additional properties ["ID"]`},
		{"undo", []any{1}, "unmarshaling arguments"},
	} {
		r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: row.tool, Arguments: row.args})
		if err != nil {
			t.Fatal(err)
		}
		if text := r.Content[0].(*sdk.TextContent).Text; !r.IsError || !strings.Contains(text, row.want) {
			t.Errorf("%s %v: %s, want %s", row.tool, row.args, text, row.want)
		}
	}
	mustCall(t, c, "changes", map[string]any{"max_results": 3})
	mustCall(t, c, "changes", nil)
}

// TestCanceledCall: a canceled call ends, whether it reads or waits for another change, and the server continues.
func TestCanceledCall(t *testing.T) {
	files := map[string]string{}
	for i := range 500 {
		files[fmt.Sprintf("F%d/N%d.md", i%20, i)] = strings.Repeat("many words here\n", 5000)
	}
	s := open(t, vaultOf(t, files), "", Options{})
	c := connect(t, s, "probe", nil)
	for _, p := range []*sdk.CallToolParams{
		{Name: "search_files", Arguments: map[string]any{"pattern": "(m.*w.*h.*)+zz"}},
		{Name: "move_file", Arguments: map[string]any{"source": "F1", "destination": "G1"}},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = c.CallTool(ctx, p)
		}()
		for atWork := false; !atWork; time.Sleep(time.Millisecond) {
			select {
			case <-ended: // between two polls
				atWork = true
			default:
				atWork = working(s)
			}
		}
		cancel()
		began := time.Now()
		<-ended
		for working(s) {
			time.Sleep(time.Millisecond)
		}
		took := time.Since(began)
		t.Logf("%s ended %s after its cancellation", p.Name, took)
		if took > 10*time.Second { // a quarter of a second on an idle machine
			t.Errorf("%s took %s to end", p.Name, took)
		}
	}
	mustCall(t, c, "search_files", map[string]any{"pattern": "nothing like it", "file_pattern": "*1.md"})
}

// working reports whether the server is processing a request.
func working(s *Server) bool {
	if !s.running.TryAcquire(maxRunning) {
		return true
	}
	s.running.Release(maxRunning)
	return false
}

// TestFlood: each of many calls at once is done, once.
func TestFlood(t *testing.T) {
	dir := vaultOf(t, map[string]string{"A.md": "a\n"})
	c := connect(t, open(t, dir, "", Options{}), "probe", nil)
	var wg sync.WaitGroup
	for range 400 {
		wg.Go(func() {
			if said, failed := call(t, c, "append_file", map[string]any{"path": "A.md", "content": "x"}); failed {
				t.Error(said)
			}
		})
	}
	wg.Wait()
	if got := strings.Count(read(t, dir, "A.md"), "x"); got != 400 {
		t.Errorf("%d in the note, want 400", got)
	}
}

// TestStructuredContent: results of tools with an output schema have structured content; errors have none.
func TestStructuredContent(t *testing.T) {
	c := connect(t, open(t, vaultOf(t, map[string]string{"A.md": "# Fence\nThe garden fence is green.\n"}), "", Options{}), "probe", nil)
	for tool, args := range map[string]map[string]any{"find_notes": {"query": "what about the garden fence"}, "list_files": {}, "search_files": {"pattern": "fence"}, "get_file_info": {"path": "A.md"}} {
		r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		if data, _ := json.Marshal(r.StructuredContent); !strings.Contains(string(data), `"path":"A.md"`) || !strings.Contains(textOf(r), "A.md") {
			t.Errorf("%s: %s", tool, data)
		}
	}
	mustCall(t, c, "write_file", map[string]any{"path": "B.md", "content": "new"})
	r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "undo"})
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := json.Marshal(r.StructuredContent); !strings.Contains(string(data), `{"done":["`) {
		t.Errorf("undo: %s", data)
	}
	if r, err = c.CallTool(context.Background(), &sdk.CallToolParams{Name: "get_outline", Arguments: map[string]any{"path": "None.md"}}); err != nil || !r.IsError || r.StructuredContent != nil {
		t.Errorf("an error: %+v, %v", r, err)
	}
	structured := []string{"changes", "find_notes", "get_file_info", "get_links", "get_outline", "get_properties", "get_tags", "list_files", "list_tasks", "search_files", "undo"}
	for tool, err := range c.Tools(context.Background(), nil) {
		if err == nil && (tool.OutputSchema != nil) != slices.Contains(structured, tool.Name) {
			t.Errorf("%s: %v", tool.Name, tool.OutputSchema)
		}
	}
}

// undo takes back all turns since a time, and says what is wrong with another one.
func TestUndoSince(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "A.md", "old\n")
	c := connect(t, open(t, dir, "", Options{}), "client", nil)
	mustCall(t, c, "read_file", map[string]any{"path": "A.md"})
	mustCall(t, c, "write_file", map[string]any{"path": "A.md", "content": "new\n"})
	mustCall(t, c, "append_file", map[string]any{"path": "A.md", "content": "more"})
	for since, want := range map[string]string{"25:00": "is not a time", "2099-01-01": "nothing that can be undone"} {
		if text, failed := call(t, c, "undo", map[string]any{"since": since}); !failed || !strings.Contains(text, want) {
			t.Errorf("since %s: %s", since, text)
		}
	}
	if text, failed := call(t, c, "undo", map[string]any{"since": "1h", "id": "x"}); !failed || !strings.Contains(text, "cannot be combined") {
		t.Errorf("both: %s", text)
	}
	mustCall(t, c, "undo", map[string]any{"since": "1h"})
	if got := read(t, dir, "A.md"); got != "old\n" {
		t.Errorf("the note is %q", got)
	}
	if text, failed := call(t, c, "undo", map[string]any{"since": "1h"}); !failed || !strings.Contains(text, "nothing that can be undone") {
		t.Errorf("again: %s", text)
	}
}
