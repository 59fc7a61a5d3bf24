package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// escape is a row of the corpus of escapes: bytes that must not affect a terminal.
type escape struct {
	why, text string
}

// escapes reads the corpus. The short form cuts long rows, which only repeat.
func escapes(t testing.TB) []escape {
	t.Helper()
	var rows []struct {
		Bytes string `json:"bytes_b64"`
		Why   string `json:"why"`
	}
	if err := json.Unmarshal(projectFile(t, "internal", "base", "terminal", "testdata", "escapes.json"), &rows); err != nil {
		t.Fatal(err)
	}
	out := make([]escape, 0, len(rows))
	for _, r := range rows {
		raw, err := base64.StdEncoding.DecodeString(r.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if !stressed() {
			raw = raw[:min(len(raw), 1000)]
		}
		out = append(out, escape{r.Why, string(raw)})
	}
	if len(out) < 100 {
		t.Fatalf("%d rows", len(out))
	}
	return out
}

// hostileText returns all rows of the corpus in paragraphs, each after its own mark.
func hostileText(rows []escape) string {
	var b strings.Builder
	for i, r := range rows {
		fmt.Fprintf(&b, "m%d %s\n\n", i, r.text)
	}
	return b.String()
}

// spoken returns the rows as a model can say them: an answer that repeats itself endlessly is cut off.
func spoken(rows []escape) []escape {
	out := make([]escape, len(rows))
	for i, r := range rows {
		out[i] = escape{r.why, strings.ToValidUTF8(r.text[:min(len(r.text), 300)], "")}
	}
	return out
}

// ownCSI are the control sequences that the program draws with: cursor, inserting, erasing, repeating, scrolling, colors and attributes.
const ownCSI = "@ABCDEFGHJKLMPSTXbdmr"

// ownQueries are Bubble Tea's queries and settings besides modes: synchronized output, graphemes, kitty's keyboard
// protocol, tab stops, the cursor's shape.
var ownQueries = []string{"\x1b[?6n", "\x1b[?2026$p", "\x1b[?2027$p", "\x1b[?u", "\x1b[?5W", "\x1b[>1u", "\x1b[<1u", "\x1b[0 q", "\x1b[5 q", "\x1b[>4;2m", "\x1b[>4m"}

// ownModes are the private modes that it sets and resets: wrapping, cursor, alternate screen, mouse, focus, bracketed
// paste, synchronized output.
var ownModes = []string{"7", "25", "1049", "1000", "1002", "1003", "1004", "1006", "2004", "2026"}

// ownSequences are rows of the corpus that the program writes itself, with their maximum number: at the start, when the
// window is resized, at the end.
var ownSequences = map[string]int{"\x1b[2J\x1b[H": 3, "\x1b[?1049l": 2, "\x1b[?1004h": 1}

// redraws matches how ask replaces the unfinished end of an answer: at most eight lines up, and erased.
var redraws = regexp.MustCompile(`^\x1b\[([2-8]?A|J)$`)

// hidden are characters that hide or reorder text.
var hidden = regexp.MustCompile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u2028\u2029\ufff9-\ufffb\u180e\U000e0001-\U000e007f]")

// checkWritten checks all bytes written to a terminal: only well-formed sequences of the program itself, and nothing of
// the corpus unchanged. plain is for a command without a screen, which needs only colors and links.
func checkWritten(t *testing.T, raw []byte, rows []escape, plain bool) {
	t.Helper()
	wrong := map[string]bool{}
	say := func(format string, args ...any) { wrong[fmt.Sprintf(format, args...)] = true }
	if !utf8.Valid(raw) {
		say("bytes that are not UTF-8")
	}
	if at := hidden.FindIndex(raw); at != nil {
		say("a character that hides or reorders: %+q", raw[max(at[0]-20, 0):at[1]])
	}
	var state byte
	for rest := raw; len(rest) > 0; {
		seq, width, n, next := ansi.DecodeSequence(rest, state, nil)
		state, rest = next, rest[n:]
		if width > 0 || len(seq) == 0 {
			continue
		}
		s := string(seq)
		switch {
		case s == "\r" || s == "\n" || s == "\t" || (s == "\b" || s == "\x1bM") && !plain: // the last is a line up
		case strings.HasPrefix(s, "\x1b[?"):
			modes := strings.Split(s[3:len(s)-1], ";")
			final := s[len(s)-1]
			if !slices.Contains(ownQueries, s) && (final != 'h' && final != 'l' || slices.ContainsFunc(modes, func(m string) bool { return !slices.Contains(ownModes, m) })) || plain {
				say("%q", s)
			}
		case strings.HasPrefix(s, "\x1b["):
			final := s[len(s)-1]
			switch {
			case (s == "\x1b[22;0t" || s == "\x1b[23;0t") && !plain && bytes.Count(raw, seq) <= 1: // the window's title is kept, and put back
			case slices.Contains(ownQueries, s) && !plain:
			case plain && redraws.MatchString(s):
			case s == "\x1b[6n" && !plain, s == "\x1b[c" && !plain && bytes.Count(raw, seq) <= 1:
			case final == 'm':
				for _, p := range strings.Split(s[2:len(s)-1], ";") {
					if p == "8" && !strings.Contains(s, "38;") && !strings.Contains(s, "48;") {
						say("text is concealed: %q", s)
					}
				}
			case !strings.ContainsRune(ownCSI, rune(final)), plain && final != 'K':
				say("%q", s)
			}
		case strings.HasPrefix(s, "\x1b]8;"):
			if !regexp.MustCompile(`^\x1b\]8;[^;]*;((https?|obsidian|file)://[^\x00-\x20]*)?(\x1b\\|\x07)$`).MatchString(s) {
				say("a link of the wrong form: %q", s)
			}
		case strings.HasPrefix(s, "\x1b]0;"), strings.HasPrefix(s, "\x1b]2;"), strings.HasPrefix(s, "\x1b]9;"):
			if plain {
				say("%q", s)
			}
		case (s == "\x1b]11;?\x07" || s == "\x1b]11;?\x1b\\" || s == "\x1b]10;?\x07" || s == "\x1b]10;?\x1b\\") && !plain: // it asks for the colours
		case len(s) == 1 && s[0] < 0x20 || s[0] == 0x7f || s[0] == 0x1b:
			say("%.60q", s)
		case utf8.RuneCountInString(s) == 1 && s >= "\u0080" && s <= "\u009f":
			say("%q", s)
		}
	}
	for _, r := range rows {
		if slices.ContainsFunc([]byte(r.text), func(b byte) bool { return b == 0x1b || b == 0x9b || b == 0x07 }) && len(r.text) > 6 && bytes.Count(raw, []byte(r.text)) > ownSequences[r.text] {
			say("it was written as it is: %s: %.60q", r.why, r.text)
		}
	}
	for what := range wrong {
		t.Errorf("written to the terminal: %s", what)
	}
}

// checkDone is checkWritten for a program that has exited, and checks the state of the terminal.
func checkDone(t *testing.T, x *ptytest.Terminal, rows []escape, plain bool) {
	t.Helper()
	checkWritten(t, x.Raw(), rows, plain)
	if left := x.LeftBehind(); len(left) > 0 {
		t.Errorf("left behind in the terminal: %v", left)
	}
	if c := x.Clipboard(); len(c) > 0 {
		t.Errorf("the clipboard was written: %.100q", c)
	}
	for _, title := range x.Titles() {
		if strings.Contains(title, "pwn") || strings.ContainsFunc(title, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("a window title: %q", title)
		}
	}
	if plain && len(x.Titles())+x.Bells() > 0 {
		t.Errorf("titles %q, %d bells", x.Titles(), x.Bells())
	}
}

// marks returns how many of hostileText's marks are in a text.
func marks(text string, rows []escape) int {
	n := 0
	for i := range rows {
		if m := fmt.Sprintf("m%d", i); strings.Contains(text, m+" ") || strings.Contains(text, m+"\n") {
			n++
		}
	}
	return n
}

// quiet is the time without output after which the program has drawn everything.
const quiet = 150 * time.Millisecond

// hostileName is a name of a file or folder with sequences for the terminal.
const hostileName = "ev\x1b]0;pwn\x07il\x1b[2J\u202ename"

// hostileHome returns a home folder with a vault of hostile notes, names and texts.
func hostileHome(t *testing.T, rows []escape) askHome {
	t.Helper()
	h := newAskHome(t, map[string]string{
		"Home.md":                       "# Home\nred\n",
		"hostile.md":                    hostileText(rows),
		hostileName + ".md":             "# " + rows[0].text + "\nneedle " + rows[0].text + "\n",
		hostileName + "/in " + "one.md": "needle\n",
	})
	return h
}

// TestEscapesOnTheScreen sends the corpus through every channel of the chat: streamed text and reasoning, tool calls,
// their arguments and results, file names, messages of the agent, questions, tasks, errors, the approval, the window
// title, pasted text, and the lists that show them.
func TestEscapesOnTheScreen(t *testing.T) {
	t.Parallel()
	rows := escapes(t)
	all := hostileText(spoken(rows))
	short := rows[0].text + rows[31].text + rows[80].text
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Reasoning(all), llmtest.Text(all), llmtest.Split(7)),
		llmtest.Say(
			llmtest.Call("read_file", map[string]any{"path": "hostile.md"}),
			llmtest.Call("read_file", map[string]any{"path": short}),
			llmtest.Call("list_files", map[string]any{"pattern": "**", "path": ""}),
			llmtest.Call("search_files", map[string]any{"pattern": "needle"}),
			llmtest.Call("send_message", map[string]any{"message": all}),
			llmtest.Call("task_list", map[string]any{"items": []any{map[string]any{"text": short, "done": false}}}),
			llmtest.Call("no\x1b[2Jsuch", map[string]any{"x": short}),
		),
		llmtest.ToolCall("edit_file", map[string]any{"path": "Home.md", "old_text": "red", "new_text": short}),
		llmtest.Reply("Edited.\n\n"+short),
		llmtest.ToolCall("ask_user", map[string]any{"question": "Which " + short + "?", "options": []any{"one " + short, "two"}}),
		llmtest.Fail(400, `{"error":{"message":`+jsonText(short)+`}}`),
	)
	h := hostileHome(t, rows)
	h.vault = renamed(t, h.vault, "No\u202etes")
	x := h.run(t, srv, []string{"CHATVAULT_APPROVAL=writes"})
	x.WaitFor("Ask about your notes", patience)
	x.Resize(110, 400)
	send := func(text string) {
		x.Paste(text)
		x.Press("enter")
	}
	send("first " + short)
	srv.Await(patience, answered(1))
	x.WaitUntil("reasoning and answer", patience, func(s string) bool {
		return marks(s, rows) > len(rows)*9/10 && strings.Contains(s, "Thought for")
	})
	x.WaitIdle(quiet, patience)
	send("second")
	x.WaitFor("Change this note?", patience)
	x.WaitFor("<U+202A>", patience) // what would hide is named
	time.Sleep(settled)
	x.Press("enter")
	x.WaitFor("Edited.", patience)
	send("third")
	x.WaitFor("Which ", patience)
	x.Press("esc")
	x.WaitIdle(quiet, patience)
	send("fourth")
	srv.Await(patience, answered(6))
	x.WaitFor("The provider refused the request", patience)
	x.WaitIdle(quiet, patience)
	for _, command := range []string{"/changes", "/conversations", "/find evil"} {
		x.Type(command)
		x.Press("enter")
		x.WaitIdle(quiet, patience)
		checkWritten(t, x.Raw(), rows, false)
		x.Press("esc")
		x.WaitIdle(quiet, patience)
	}
	if screen := x.Screen(); !x.IsAltScreen() || strings.Contains(screen, "\x1b") {
		t.Error("the alternate screen was left")
	}
	x.Press("ctrl+c")
	x.WaitFor("again", patience)
	x.Press("ctrl+c")
	x.Wait(patience)
	checkDone(t, x, rows, false)
}

// answered reports whether n model calls were answered completely.
func answered(n int) func([]llmtest.Request) bool {
	return func(all []llmtest.Request) bool { return len(all) >= n && !all[n-1].Done.IsZero() }
}

func jsonText(s string) string {
	b, _ := json.Marshal(s) // a string can always be written
	return string(b)
}

// renamed renames a vault.
func renamed(t *testing.T, dir, name string) string {
	t.Helper()
	to := filepath.Join(filepath.Dir(dir), name)
	if err := os.Rename(dir, to); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestEscapesOnATerminal sends the corpus through every command that prints on a terminal.
func TestEscapesOnATerminal(t *testing.T) {
	t.Parallel()
	rows := escapes(t)
	all := hostileText(spoken(rows))
	short := rows[0].text + rows[31].text + rows[80].text
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Reasoning(all), llmtest.Text(all), llmtest.Split(7),
			llmtest.Call("list_files", map[string]any{"pattern": "**"}),
			llmtest.Call("read_file", map[string]any{"path": short}),
			llmtest.Call("send_message", map[string]any{"message": all}),
			llmtest.Call("edit_file", map[string]any{"path": "Home.md", "old_text": "red", "new_text": short}),
			llmtest.Call("no\x1b[2Jsuch", map[string]any{"x": short})),
		llmtest.Reply(all, llmtest.Split(3)),
		llmtest.Fail(400, `{"error":{"message":`+jsonText(short)+`}}`),
		llmtest.ToolCall("ask_user", map[string]any{"question": "Which " + short + "?", "options": []any{"one " + short, "two"}}),
	)
	h := hostileHome(t, rows)
	h.vault = renamed(t, h.vault, "No\u202etes")
	run := func(want int, shows string, args ...string) {
		t.Helper()
		x := h.run(t, srv, []string{"CHATVAULT_APPROVAL=off", "PAGER=cat"}, args...)
		if code := x.Wait(patience); code != want {
			t.Errorf("%.60q: exit status %d: %.400q", args, code, x.Raw())
		}
		if out := string(x.Raw()); !strings.Contains(out, shows) {
			t.Errorf("%.60q does not show %q: %.300q", args, shows, out)
		}
		checkDone(t, x, rows, true)
		if t.Failed() {
			t.Fatalf("by %.60q", args)
		}
	}
	run(0, "␛]52;c;", "ask", "first "+short)
	run(1, "]52;c;", "ask", "second "+short)
	run(3, "Which ␛]52;c;", "ask", "third "+short)
	id := regexp.MustCompile(`"id":"([^"]+)"`)
	out, err := command(t, h.vault, []string{"XDG_STATE_HOME=" + h.dir + "/s"}, "conversations", "list", "--json").Output()
	if err != nil || !id.Match(out) {
		t.Fatalf("%v: %s", err, out)
	}
	conversation := string(id.FindSubmatch(out)[1])
	run(0, "␛]", "conversations", "list")
	run(0, "␛]52;c;", "conversations", "show", conversation)
	run(0, "", "conversations", "search", "first")
	run(0, "", "conversations", "export", conversation)
	run(0, "␛]52;c;", "inbox", "list")
	run(0, "", "changes")
	run(0, "␛]52;c;", "tool", "read_file", `{"path":"hostile.md"}`)
	run(0, `ev\x1b]0;pwn\ail\x1b[2J`, "tool", "list_files", `{"pattern":"**"}`)
	run(0, `ev\x1b]0;pwn\ail`, "tool", "search_files", `{"pattern":"needle"}`)
	run(1, "", "tool", "read_file", `{"path":`+jsonText(short)+`}`)
	run(0, "Notes", "doctor")
	run(2, `\x1b[2J`, "no\x1b[2Jsuch\x07command")
	run(2, "[2J", "--no\x1b[2Jsuch\x07flag")
	run(2, "", "--model", "x\x1b[2J/y\x07", "config", "show", "extra\x1b[2J")
	run(0, "", "undo")
	if err := os.Mkdir(filepath.Join(h.vault, ".smarthole"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.vault, ".smarthole", "config.toml"), []byte("mod\x1b[2Jel = \"\x1b]0;pwn\x07\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(2, "", "config", "show")
	run(1, "", "doctor")
	h.vault += "\u202egone"
	run(2, "gone", "tool", "list_files", "{}")
	run(1, "gone", "doctor")
}

// Piped output and files are byte-exact.
func TestEscapesPiped(t *testing.T) {
	t.Parallel()
	rows := escapes(t)
	var valid []escape
	for _, r := range rows {
		if utf8.ValidString(r.text) && len(r.text) < 500 { // a model can say no other, and an answer that repeats itself without end is cut off
			valid = append(valid, r)
		}
	}
	all := strings.TrimSpace(hostileText(valid)) + "."
	srv := llmtest.New(t, llmtest.ToolCall("write_file", map[string]any{"path": "copy.md", "content": all}), llmtest.Reply(all, llmtest.Split(5)))
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	out, err := command(t, h.vault, append(provider(srv), "CHATVAULT_APPROVAL=off"), "ask", "say it").Output()
	if err != nil || strings.TrimSuffix(string(out), "\n") != all {
		t.Errorf("%v: it is not what the model said: %.2000q", err, out)
	}
	if h.note(t, "copy.md") != all {
		t.Errorf("the note is not what the model wrote: %s", firstDifference(h.note(t, "copy.md"), all))
	}
	one := "# " + rows[0].text + "\x1b[2J\u202e end"
	if err := os.WriteFile(filepath.Join(h.vault, "one.md"), []byte(one), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = command(t, h.vault, nil, "tool", "read_file", `{"path":"one.md"}`).Output()
	if err != nil || string(out) != "1: "+one+"\n" {
		t.Errorf("%v: %q", err, out)
	}
}

func firstDifference(got, want string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("at %d: %.40q, want %.40q", i, got[i:], want[i:])
		}
	}
	return fmt.Sprintf("%d bytes, want %d", len(got), len(want))
}
