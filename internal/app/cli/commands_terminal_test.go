//go:build unix

package cli

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"chatvault/internal/app/statedir"
	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// addConversation adds an ended conversation of 1970, whose title and messages are a text, to the state folder of a
// vault.
func addConversation(t *testing.T, home, vault, text string) {
	t.Helper()
	root, err := statedir.Dirs{Base: filepath.Join(home, "s", "chatvault", "vaults")}.Open(vault)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	const id, at = "19700101-000000-0123abcd", `"time":"1970-01-01T00:00:00.001Z"`
	lines := `{"type":"conversation","schema":1,"id":"` + id + `",` + at + "}\n" +
		`{"type":"turn",` + at + `,"turn":{"id":"m","messages":[{"id":"m","role":"user",` + at + `,"content":` + string(quoted) + "}]}}\n" +
		`{"type":"ended",` + at + `,"reason":"new"}` + "\n" + `{"type":"title",` + at + `,"title":` + string(quoted) + "}\n"
	if err := root.Mkdir("conversations", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := root.WriteFile("conversations/"+id+".jsonl", []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
}

// payloads returns the corpus of escape sequences, which must not affect a terminal.
func payloads(t *testing.T) []string {
	t.Helper()
	var rows []struct {
		Bytes string `json:"bytes_b64"`
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "base", "terminal", "testdata", "escapes.json"))
	if err == nil {
		err = json.Unmarshal(data, &rows)
	}
	if err != nil || len(rows) < 100 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		text, err := base64.StdEncoding.DecodeString(r.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = string(text[:min(len(text), 120)]) // repetitions are cut
	}
	return out
}

// hostilePath returns a folder below dir whose path contains all payloads, as far as file names can.
func hostilePath(t *testing.T, dir string, rows []string) string {
	t.Helper()
	name := ""
	for i, r := range rows {
		r = fmt.Sprintf("m%d ", i) + strings.NewReplacer("/", "", "\x00", "").Replace(r)
		if len(name)+len(r) > 240 {
			dir, name = filepath.Join(dir, name), ""
		}
		name += r
	}
	dir = filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// printable returns text without control characters, as settings may contain it.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
}

func jsonString(s string) string {
	b, _ := json.Marshal(s) // a string can always be encoded
	return strings.ReplaceAll(string(b), "\x7f", `\u007f`)
}

// ownStyles are the sequences that commands use for styles.
var ownStyles = regexp.MustCompile("\x1b\\[(1|22|2|1;4|22;24|31|32|36|39)?m")

// ownDrawing matches how ask draws an answer: up to eight lines that it replaces, and attributes.
var ownDrawing = regexp.MustCompile(`\x1b\[[2-8]?A\x1b\[J|\x1b\[(?:[0123479])?m`)

// hides are characters that hide or reorder text.
var hides = regexp.MustCompile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u2028\u2029\ufff9-\ufffb\u180e\U000e0001-\U000e007f]")

// wrong describes what other than text was sent to a terminal, or returns "".
func wrong(raw string, rows []string) string {
	for _, r := range rows {
		if strings.ContainsAny(r, "\x1b\x07") && len(r) > 3 && !ownStyles.MatchString(r) && strings.Contains(raw, r) {
			return fmt.Sprintf("it was written as it is: %q", r)
		}
	}
	raw = strings.ReplaceAll(raw, "^D\b\b", "") // the line discipline's, at the end of input: it may be inside a rune
	if !utf8.ValidString(raw) {
		return "it is not UTF-8"
	}
	text := strings.ReplaceAll(ownStyles.ReplaceAllString(ownDrawing.ReplaceAllString(raw, ""), ""), "\r\n", "\n") // the terminal's line discipline
	if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }); at >= 0 {
		return fmt.Sprintf("a control character: %.60q", text[max(at-20, 0):])
	}
	if at := hides.FindStringIndex(text); at != nil {
		return fmt.Sprintf("a character that hides or reorders text: %+.60q", text[max(at[0]-20, 0):])
	}
	return ""
}

// atTerminal are the calls of each command in TestCommandsAtATerminal, in this order. EVIL stands for all payloads.
// After "<" comes what is typed; before each "→", what to wait for.
var atTerminal = []struct {
	command string
	calls   []string
}{
	{"chatvault", []string{"--version", "--help", "EVIL", "--EVIL", "--config EVIL --version", "--theme EVIL"}},
	{"chatvault ask", []string{
		"say EVIL", "--json say EVIL", "question EVIL", "-c 9", "--approval writes alter EVIL < Allow this? → n\n", "--approval writes --json alter EVIL",
		"locked EVIL < empty to skip → \n", "--plan EVIL", "--goal EVIL", "/EVIL", "--EVIL", "--model EVIL x",
	}},
	{"chatvault changes", []string{"", "--diff", "--json", "EVIL"}},
	{"chatvault undo", []string{"EVIL", ""}},
	{"chatvault redo", []string{"EVIL", ""}},
	{"chatvault inbox", []string{"", "EVIL"}},
	{"chatvault inbox list", []string{"", "--json", "EVIL"}},
	{"chatvault inbox retry", []string{"EVIL", ""}},
	{"chatvault inbox drop", []string{"EVIL", ""}},
	{"chatvault conversations", []string{"", "EVIL"}},
	{"chatvault conversations list", []string{"", "--json"}},
	{"chatvault conversations search", []string{"say", "say --json", "EVIL"}},
	{"chatvault conversations delete", []string{"1970 < [y/N] → n\n", "EVIL"}},
	{"chatvault conversations export", []string{"last", "1970", "last --json", "EVIL"}},
	{"chatvault conversations clear", []string{"< [y/N] → n\n", "--yes"}},
	{"chatvault vaults", []string{"", "--json", "EVIL"}},
	{"chatvault config", []string{"", "EVIL"}},
	{"chatvault config path", []string{"", "--config EVIL"}},
	{"chatvault config show", []string{"", "--json", "--config bad.toml", "--vault EVIL"}},
	{"chatvault config init", []string{"", "--config EVIL"}},
	{"chatvault config forget-key", []string{"EVIL"}},
	{"chatvault doctor", []string{"", "--config bad.toml", "--vault EVIL", "--config EVIL"}},
	{"chatvault acp", []string{"", "EVIL"}},
	{"chatvault serve", []string{"EVIL", "< SmartHole: → \x03"}},
	{"chatvault tool", []string{
		"", "--json", "EVIL", "read_file EVIL", `list_files {"pattern":"**"}`, `search_files {"pattern":"needle"}`,
		`read_file {"path":"EVIL"}`, `read_file {"EVIL":"x"}`, `read_file {"path":"Home.md"}`,
	}},
	{"chatvault mcp", []string{"EVIL", "--tools EVIL", "< Waiting for a client → {}\n | invalid → \x04"}},
	{"chatvault mcp config", []string{"EVIL", "claude-code --vault EVIL", "codex", "zed", "opencode"}},
	{"chatvault version", []string{"", "EVIL"}},
	{"chatvault demo", []string{"--accessible < You: → \x04", "EVIL"}},
	{"chatvault man", []string{"", "--dir EVIL/man"}},
	{"chatvault completion", []string{"", "EVIL"}},
	{"chatvault completion bash", []string{"", "EVIL"}},
	{"chatvault completion zsh", []string{""}},
	{"chatvault completion fish", []string{""}},
	{"chatvault completion powershell", []string{""}},
	{"chatvault help", []string{"", "EVIL", "ask"}},
	{"chatvault trust", []string{"< [y/N] → n\n", "--yes", "--revoke", "EVIL"}},
	{"chatvault vaults moved", []string{"EVIL"}},
	{"chatvault", []string{"--accessible < You: → say it\n | /retry tries → \x04"}},
}

// failing returns an answer that fails with a reason.
func failing(status int, reason string, o llmtest.Option) llmtest.Step {
	step := llmtest.Fail(status, `{"error":{"message":`+jsonString(reason)+`}}`)
	o(&step)
	return step
}

// TestCommandsAtATerminal runs every command on a terminal, with the corpus of escape sequences in folder names,
// notes, conversations, settings, arguments and answers, and checks that only text reaches the terminal. It fails if
// a command is missing in the table.
func TestCommandsAtATerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
	}
	t.Parallel()
	rows := payloads(t)
	var evil []string // as an argument
	for _, r := range rows {
		evil = append(evil, strings.NewReplacer("\x00", "").Replace(r))
	}
	all := strings.ToValidUTF8(strings.Join(rows, " "), "")
	saying := func(word string) llmtest.Option { return llmtest.When(`user contains "` + word + `"`) }
	srv := llmtest.New(t,
		llmtest.Say(saying("say"), llmtest.Reasoning(all), llmtest.Text(all), llmtest.Split(7),
			llmtest.Call("read_file", map[string]any{"path": all}),
			llmtest.Call("list_files", map[string]any{"pattern": "**"}),
			llmtest.Call("send_message", map[string]any{"message": all}),
			llmtest.Call("append_file", map[string]any{"path": "Home.md", "content": all}),
			llmtest.Call("no\x1b[2Jsuch", map[string]any{"x": all})),
		llmtest.Reply("Said: "+all, saying("say"), llmtest.Split(3)),
		llmtest.ToolCall("edit_file", map[string]any{"path": "Home.md", "old_text": "# Home", "new_text": "# House " + all}, saying("alter")),
		llmtest.Reply("Not edited: "+all, saying("alter")),
		llmtest.ToolCall("ask_user", map[string]any{"question": "Which " + all + "?", "options": []any{"one " + rows[0], "two"}}, saying("question")),
		failing(401, all, saying("locked")),
		failing(400, all, llmtest.Forever()),
	)
	dir := hostilePath(t, t.TempDir(), rows)
	vault := filepath.Join(dir, "v"+rows[0])
	files := map[string]string{
		filepath.Join(vault, ".obsidian", "app.json"):                    "{}",
		filepath.Join(vault, "Home.md"):                                  "# Home\nneedle " + all + "\n",
		filepath.Join(vault, strings.ReplaceAll(rows[0], "/", "")+".md"): "# " + all + "\nneedle\n",
		filepath.Join(dir, "c", "chatvault", "config.toml"):              fmt.Sprintf("base_url = %q\nmodel = %s\nprompt = \"full\"\n", srv.URL(), jsonString("m "+printable(all))),
		filepath.Join(vault, "bad.toml"):                                 "theme = " + jsonString(all) + "\n" + jsonString(all) + " = 1\nmodel = 3\n[providers." + jsonString(all) + "]\nmodel = " + jsonString(all) + "\n",
	}
	own := func(name string) string { return filepath.Join(vault, ".smarthole", filepath.FromSlash(name)) }
	files[own("prompts/plan.tmpl")], files[own("commands/x"+strings.ReplaceAll(rows[0], "/", "")+".md")] = all, all
	files[own("state.json")] = `{"schema":1,"goal":{"text":` + jsonString(all) + `}}`
	files[own("inbox/20260101-000000.000001-abcdef.json")] = `{"id":"20260101-000000.000001-abcdef","schema":1,"text":` + jsonString(all) + `,"time":"2026-01-01T00:00:00Z"}`
	files[own("conversations/20200102-030405-0123abcd.jsonl")] = `{"type":"turn","time":"2020-01-02T03:04:06Z","turn":{"id":"m","started":"2020-01-02T03:04:06Z","ended":"2020-01-02T03:04:06Z","messages":[{"id":"m","role":"user","time":"2020-01-02T03:04:05Z","content":` + jsonString(all) + `}]}}` + "\n"
	files[own("journal/turns/old.jsonl")] = `{"type":"turn","schema":1,"time":"2020-01-01T10:00:00Z","origin":{"turn":"old","source":"chat","title":` + jsonString(all) + `}}` + "\n" +
		`{"type":"change","time":"2020-01-01T10:00:01Z","change":{"seq":1,"time":"2020-01-01T10:00:01Z","op":"mkdir","path":"x","state":"done"}}` + "\n" + `{"type":"end","time":"2020-01-01T10:00:02Z"}` + "\n"
	files[own(rows[0])] = all
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	addConversation(t, dir, vault, all)
	exe := ptytest.Build(t, ".") // faster than this binary, which has the race detector
	t.Cleanup(ptytest.RemoveBuilt)
	env := ptytest.Env("HOME="+dir, "XDG_CONFIG_HOME="+dir+"/c", "XDG_STATE_HOME="+dir+"/s", "XDG_DATA_HOME="+dir+"/d",
		"CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off", "OPENAI_API_KEY=sk-env-0123456789abcdef", "CHATVAULT_APPROVAL=off")
	const patience = 30 * time.Second
	shown := 0 // calls that show some of it
	call := func(path, call string) {
		call, typed, types := strings.Cut(call, "<")
		args := strings.Fields(path + " " + call)[1:]
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "EVIL", strings.Join(evil, " "))
		}
		x := ptytest.Start(t, ptytest.Options{Path: exe, Args: args, Dir: vault, Env: env, Width: 100, Height: 40})
		if types {
			for part := range strings.SplitSeq(typed, "|") {
				shown, typed, _ := strings.Cut(part, "→")
				x.WaitFor(strings.TrimSpace(shown), patience)
				x.Send(strings.Trim(typed, " "))
			}
		}
		x.Wait(patience)
		if bad := strings.Contains(call, "bad.toml") || strings.Contains(call, "--theme") || strings.Contains(call, "--model") || strings.Contains(call, "--vault"); !bad && strings.Contains(string(x.Raw()), "configuration is invalid") {
			t.Errorf("%s %s: %.300q", path, call, x.Raw())
		}
		if strings.Contains(string(x.Raw()), "]52;c;") {
			shown++
		}
		if w := wrong(string(x.Raw()), rows); w != "" {
			t.Errorf("%s %s: %s", path, call, w)
		}
	}
	called := map[string]bool{}
	for _, c := range atTerminal {
		called[c.command] = true
		for _, words := range c.calls {
			call(c.command, words)
		}
	}
	if shown < 60 {
		t.Errorf("only %d calls show what they were given", shown)
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if !called[c.CommandPath()] {
			t.Errorf("%s is not called here", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	root := newRoot(Streams{LookupEnv: os.LookupEnv})
	root.InitDefaultHelpCmd()
	walk(root)
}
