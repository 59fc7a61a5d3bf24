package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// askHome is a home folder with a vault in it.
type askHome struct{ dir, vault string }

// state returns the vault's state folder.
func (h askHome) state() string { return stateDir(h.dir+"/s", h.vault) }

func newAskHome(t *testing.T, notes map[string]string) askHome {
	t.Helper()
	h := askHome{dir: t.TempDir()}
	h.vault = filepath.Join(h.dir, "Notes")
	for name, text := range notes {
		path := filepath.Join(h.vault, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// run starts the program on a terminal.
func (h askHome) run(t *testing.T, srv *llmtest.Server, env []string, args ...string) *ptytest.Terminal {
	t.Helper()
	all := append([]string{
		"HOME=" + h.dir, "XDG_CONFIG_HOME=" + h.dir + "/c", "XDG_STATE_HOME=" + h.dir + "/s", "XDG_DATA_HOME=" + h.dir + "/d", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off",
		"OPENAI_BASE_URL=" + srv.URL(), "OPENAI_API_KEY=sk-env-0123456789abcdef", "CHATVAULT_MODEL=test-model",
	}, env...)
	return ptytest.Start(t, ptytest.Options{
		Path: chatvault(t), Args: append([]string{"--vault", h.vault}, args...), Dir: h.dir, Env: ptytest.Env(all...), Width: 110, Height: 40,
	})
}

func (h askHome) note(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(h.vault, filepath.FromSlash(name)))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

// answer waits for a question and types the answer.
func answer(x *ptytest.Terminal, question, text string) {
	x.WaitFor(question, patience)
	x.Type(text)
	x.Press("enter")
}

const allowThis = "Allow this?"

// On a terminal, `ask` shows the exact change, with nothing hidden, and asks. Keys typed before the question appeared
// do not answer it.
func TestAskApproval(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		edit("Home.md", "red", "blu\u202ee"),
		edit("Home.md", "red", "green", llmtest.Expect(`tool result contains "denied this change and said: “rather green”"`)),
		edit("Home.md", "green", "teal"),
		edit("Home.md", "teal", "cyan"),
		llmtest.ToolCall("delete_file", map[string]any{"path": "Home.md"}),
		llmtest.Reply("It is cyan.", llmtest.Expect(`tool result contains "The user denied this change. Nothing was changed."`)),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\nred\n"})
	x := h.run(t, srv, []string{"CHATVAULT_APPROVAL=writes"}, "ask", "make it blue")
	x.Type("y\n")                        // typed ahead
	x.WaitFor("wants to edit", patience) // shown, and not asked yet
	x.Type("y\n")
	screen := x.WaitFor(allowThis, patience)
	for _, want := range []string{"The agent wants to edit Home.md", "- red", "+ blu<U+202E>e", "approval = writes"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the question does not show %q:\n%s", want, screen)
		}
	}
	time.Sleep(200 * time.Millisecond)
	if got := h.note(t, "Home.md"); got != "# Home\nred\n" {
		t.Fatalf("what was typed ahead gave consent: %q", got)
	}
	x.Type("no, rather green\n")
	x.WaitUntil("the second question", patience, func(s string) bool { return strings.Count(s, allowThis) == 2 && strings.Contains(s, "+ green") })
	if got := h.note(t, "Home.md"); got != "# Home\nred\n" {
		t.Errorf("a denied change was made: %q", got)
	}
	x.Type("maybe\n")
	x.WaitFor("Type y to allow it", patience)
	x.WaitUntil("it is asked again", patience, func(s string) bool { return strings.Count(s, allowThis) == 3 })
	x.Type("yes\n")
	x.WaitUntil("the third question", patience, func(s string) bool { return strings.Count(s, allowThis) == 4 })
	x.Type("a\n") // edits, from now on: the fourth is not asked about
	x.WaitUntil("a question of another kind", patience, func(s string) bool {
		return strings.Count(s, allowThis) == 5 && strings.Contains(s, "The agent wants to delete Home.md")
	})
	if got := h.note(t, "Home.md"); got != "# Home\ncyan\n" {
		t.Errorf("the note is %q", got)
	}
	x.Press("enter") // nothing is no
	x.WaitFor("It is cyan.", patience)
	if code := x.Wait(patience); code != 0 || h.note(t, "Home.md") != "# Home\ncyan\n" {
		t.Errorf("exit %d, %q", code, h.note(t, "Home.md"))
	}
	if raw := string(x.Raw()); strings.Contains(raw, "\u202e") {
		t.Error("a character that reorders text was printed")
	}
}

// Ctrl+C while an approval is pending stops the turn, and nothing is written.
func TestAskApprovalStop(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, edit("Home.md", "red", "blue"))
	h := newAskHome(t, map[string]string{"Home.md": "red\n"})
	x := h.run(t, srv, []string{"CHATVAULT_APPROVAL=writes"}, "ask", "make it blue")
	x.WaitFor(allowThis, patience)
	x.Press("ctrl+c")
	x.WaitFor("Stopped.", patience)
	if code := x.Wait(patience); code != 130 || h.note(t, "Home.md") != "red\n" {
		t.Errorf("exit %d, %q", code, h.note(t, "Home.md"))
	}
	if x.IsRaw() {
		t.Error("the terminal was left as it should not be")
	}
}

// If the provider refuses a key, `ask` asks for another, does not echo it, and uses it in the same turn. Without a
// keyring it is stored nowhere, and `ask` explains how to keep it.
func TestAskKey(t *testing.T) {
	t.Parallel()
	const key = "sk-typed-9876543210zyxwvu"
	authorized := func(key string) llmtest.Option { return llmtest.Expect(`header Authorization contains "` + key + `"`) }
	srv := llmtest.New(t,
		llmtest.ToolCall("write_file", map[string]any{"path": "New.md", "content": "once\n"}, authorized("sk-env-")),
		llmtest.Fail(401, `{"error":{"message":"Incorrect API key provided: sk-env-0123456789abcdef"}}`),
		llmtest.Fail(401, `{"error":{"message":"That one has no credit"}}`),
		llmtest.Reply("Written.", authorized(key), llmtest.Expect(`tool result contains "Created"`)),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	x := h.run(t, srv, nil, "ask", "write it down")
	x.WaitFor("refused", patience)
	answer(x, "OPENAI_API_KEY (hidden", "this is not a key")
	x.WaitFor("Not accepted: it is not a key", patience)
	x.WaitUntil("the prompt comes again", patience, func(s string) bool { return strings.Count(s, "(hidden") == 2 })
	x.Type("sk-wrong-11112222333344445555\n")
	x.WaitFor("That one has no credit", patience)
	x.WaitUntil("the prompt comes again", patience, func(s string) bool { return strings.Count(s, "(hidden") == 3 })
	x.Type(key + "\n")
	x.WaitFor("To keep it", patience)
	x.WaitFor("Written.", patience)
	if code := x.Wait(patience); code != 0 {
		t.Errorf("exit %d\n%s", code, x.Screen())
	}
	for _, secret := range []string{key, "sk-wrong-1111", "this is not a key", "sk-env-0123"} {
		if strings.Contains(string(x.Raw()), secret) {
			t.Errorf("%q was shown", secret)
		}
	}
	if x.IsRaw() {
		t.Error("the terminal was left as it should not be")
	}
	for _, key := range []string{key, "sk-wrong-1111"} {
		if where := holders(t, h.dir, key); len(where) > 0 {
			t.Errorf("the key stands in %v", where)
		}
	}
}

// If the variable of a key is not set, `ask` asks for it by the variable's name.
func TestAskMissingKey(t *testing.T) {
	t.Parallel()
	const key = "sk-typed-1234512345123451"
	srv := llmtest.New(t, llmtest.Reply("Hello.", llmtest.Expect(`header Authorization contains "`+key+`"`)))
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	file := filepath.Join(h.dir, "mine.toml")
	if err := os.WriteFile(file, []byte("api_key_env = \"WORK_KEY\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := h.run(t, srv, []string{"OPENAI_API_KEY="}, "--config", file, "ask", "hello")
	answer(x, "WORK_KEY (hidden", key)
	x.WaitFor("Hello.", patience)
	if code := x.Wait(patience); code != 0 {
		t.Errorf("exit %d\n%s", code, x.Screen())
	}
	if where := holders(t, h.dir, key); len(where) > 0 || strings.Contains(string(x.Raw()), key) {
		t.Errorf("the key stands in %v\n%s", where, x.Screen())
	}
}

// Ctrl+C while a key is typed stops the turn and turns echo on again.
func TestAskKeyStop(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Fail(401, `{"error":{"message":"Incorrect API key provided"}}`))
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	x := h.run(t, srv, nil, "ask", "hello")
	x.WaitFor("(hidden", patience)
	x.Type("sk-half")
	x.Press("ctrl+c")
	x.WaitFor("Stopped.", patience)
	if code := x.Wait(patience); code != 130 {
		t.Errorf("exit %d", code)
	}
	if left := x.LeftBehind(); len(left) > 0 || strings.Contains(string(x.Raw()), "sk-half") {
		t.Errorf("left behind in the terminal: %v\n%s", left, x.Screen())
	}
}

// holders returns the files below a folder that contain a text.
func holders(t *testing.T, dir, text string) (where []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			where = append(where, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return where
}

// At a terminal the Markdown of an answer is drawn as it arrives, with links; --raw prints it, and a stopped answer
// shows what came.
func TestAskDraws(t *testing.T) {
	t.Parallel()
	const markdown = "## The tart\n\n- **six** nectarines, see [[Home#Top]] (Home.md:1)\n- [ ] buy them — [[Home]]\n\nNo [[Cherry pie]] here."
	h := newAskHome(t, map[string]string{"Home.md": "# Top\n"})
	srv := llmtest.New(t, llmtest.Reply(markdown, llmtest.Split(9)))
	x := h.run(t, srv, []string{"CHATVAULT_HYPERLINKS=on"}, "ask", "what of the tart?")
	x.Wait(patience)
	for _, want := range []string{"The tart\n", "• six nectarines, see Home › Top\n", "☐ buy them  ", "No Cherry pie? here."} {
		if !strings.Contains(x.Screen(), want) {
			t.Errorf("the screen lacks %q:\n%s", want, x.Screen())
		}
	}
	if !strings.Contains(x.Styled(), "obsidian://open?vault=Notes&file=Home%23Top") {
		t.Errorf("no link: %q", x.Styled())
	}

	x = h.run(t, llmtest.New(t, llmtest.Reply(markdown, llmtest.Split(9))), nil, "ask", "--raw", "what of the tart?")
	x.Wait(patience)
	if !strings.Contains(x.Screen(), "- **six** nectarines, see [[Home#Top]] (Home.md:1)") {
		t.Errorf("--raw:\n%s", x.Screen())
	}

	x = h.run(t, llmtest.New(t, llmtest.Say(llmtest.Text("One.\n\nTwo.\n\nThree **and"), llmtest.Text(" four"), llmtest.Hang())), nil, "ask", "what of the tart?")
	x.WaitFor("Three **and four", patience) // the unfinished end too
	x.Press("ctrl+c")
	x.Wait(patience)
	if screen := x.Screen(); strings.Count(screen, "Three **and four") != 1 || strings.Count(screen, "One.") != 1 {
		t.Errorf("what came of a stopped answer is lost:\n%s", x.Screen())
	}
}
