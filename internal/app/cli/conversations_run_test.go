package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"chatvault/conversation"
	"chatvault/internal/base/terminal/output"
)

// told runs a command in this process, at a terminal where in is typed, or without one.
func told(t *testing.T, vault string, terminal bool, in string, args ...string) (out, err string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	empty := filepath.Join(t.TempDir(), "config.toml")
	if e := os.WriteFile(empty, nil, 0o600); e != nil {
		t.Fatal(e)
	}
	s := Streams{
		In: strings.NewReader(in), Out: output.New(&stdout, terminal), Err: output.New(&stderr, terminal), InIsTerminal: terminal,
		LookupEnv: func(name string) (string, bool) {
			value, ok := map[string]string{"TERM": "xterm", "OPENAI_API_KEY": "zq/9+Vw=canary7"}[name]
			return value, ok
		},
	}
	status = Main(append([]string{"--vault", vault, "--config", empty, "conversations"}, args...), s)
	return stdout.String(), stderr.String(), status
}

func TestShowBranches(t *testing.T) {
	vault := keeps(t, func(m *conversation.Manager) {
		must(t, m.Append(talkID, talk("t1", 0, "one", "first")))
		must(t, m.Append(talkID, talk("t2", 1, "two", "second")))
		must(t, m.Append(talkID, talk("t3", 2, "three", "third")))
		must(t, m.Fork(talkID, "t2"))
		must(t, m.Append(talkID, talk("t4", 3, "two, rather", "fourth")))
	})
	out, e, status := told(t, vault, false, "", "show", "last")
	if status != 0 || !strings.Contains(e, "Left out: 1 branch") {
		t.Fatalf("status %d: %s", status, e)
	}
	where := "\nfirst\n\n**You** · 09:03\n\n> two, rather\n"
	if !strings.Contains(out, "id: \""+talkID+"\"") || !strings.Contains(out, where) || strings.Contains(out, "second") {
		t.Errorf("the active path:\n%s", out)
	}
	out, _, _ = told(t, vault, false, "", "show", "last", "--json")
	for _, want := range []string{`"fork": "t1"`, `"content": "third"`, `"content": "fourth"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if out, e, _ = told(t, vault, false, "", "export", "last"); strings.Contains(out, "second") || !strings.Contains(e, "Left out: 1 branch") {
		t.Errorf("export: %s\n%s", e, out)
	}
	if out, _, _ := told(t, vault, false, "", "list"); !strings.HasSuffix(out, "  2 turns  one [1 branch]\n") {
		t.Errorf("list: %s", out)
	}
}

// TestShowIsSafe checks that messages reach a terminal as text, that the user's cannot imitate a heading, and that they
// are unchanged in a pipe.
func TestShowIsSafe(t *testing.T) {
	evil := "a\x1b]52;c;ZXZpbA==\x07b\u202ec"
	hostile := evil + "\n**You** · 09:00\n\n> delete it all"
	vault := keeps(t, func(m *conversation.Manager) {
		must(t, m.Append(talkID, talk("t1", 0, "fence "+hostile, evil)))
		must(t, m.SetTitle(talkID, "fence "+hostile, hostile))
	})
	for _, args := range [][]string{{"show", "last"}, {"list"}, {"search", "fence"}, {"export", "last"}, {"delete", "last"}} {
		out, e, _ := told(t, vault, true, "", args...)
		for _, never := range []string{"\x1b]", "\x07", "\u202e"} {
			if strings.Contains(out+e, never) {
				t.Errorf("%v: %q reaches the terminal: %q", args, never, out+e)
			}
		}
	}
	out, _, _ := told(t, vault, false, "", "show", "last")
	if !strings.Contains(out, "> **You** · 09:00\n") || strings.Contains(out, "\n**You** · 09:00\n\n> delete") {
		t.Errorf("a line of a message passes for a heading:\n%s", out)
	}
	if !strings.Contains(out, "a\x1b]52;c;ZXZpbA==\x07b\u202ec\n") {
		t.Errorf("a pipe gets %q", out)
	}
}

// TestDeleteAsks checks that at a terminal only yes deletes.
func TestDeleteAsks(t *testing.T) {
	vault := keeps(t, func(m *conversation.Manager) {
		must(t, m.Append(talkID, talk("t1", 0, "one", "first")))
		_, err := m.End(talkBegan.Add(time.Hour), "command")
		must(t, err)
	})
	for _, typed := range []string{"", "\n", "n\n", "yess\n", "last\n"} {
		out, e, status := told(t, vault, true, typed, "delete", "last")
		if status != 1 || out != "" || !strings.Contains(e, "Delete “one” (2026-11-20 09:00, 1 turn)? This cannot be undone. [y/N] ") || !strings.Contains(e, "nothing was deleted") {
			t.Errorf("%q: status %d: %s%s", typed, status, out, e)
		}
	}
	if _, _, status := told(t, vault, true, "n\n", "clear"); status != 1 {
		t.Errorf("clear: status %d", status)
	}
	if out, e, status := told(t, vault, true, " Yes\n", "delete", "last"); status != 0 || out != "Deleted: “one” (2026-11-20 09:00, 1 turn)\n" {
		t.Errorf("status %d: %s%s", status, out, e)
	}
	if out, _, _ := told(t, vault, true, "", "list"); out != "There are no conversations yet.\n" {
		t.Errorf("left: %s", out)
	}
}

// TestExportFrontMatter checks that a title that would be other YAML is quoted.
func TestExportFrontMatter(t *testing.T) {
	for _, title := range []string{"Plain", `It's "quoted": [yes] # no`, "true", "12:30", "--- *x* 日本\u0085\u007f \\n", "{a: b}"} {
		vault := keeps(t, func(m *conversation.Manager) {
			must(t, m.Append(talkID, talk("t1", 0, "one", "first\n\n```\nleft open")))
			_, err := m.End(talkBegan.Add(time.Hour), "command")
			must(t, err)
			must(t, m.SetTitle(talkID, title, "In short."))
		})
		out, e, status := told(t, vault, false, "", "export", "last")
		if status != 0 {
			t.Fatalf("status %d: %s", status, e)
		}
		parts := strings.SplitN(out, "---\n", 3)
		var front struct {
			ID, Title      string
			Started, Ended time.Time
		}
		if err := yaml.Unmarshal([]byte(parts[1]), &front); err != nil {
			t.Fatalf("%v:\n%s", err, parts[1])
		}
		want := strings.Join(strings.Fields(title), " ")
		if front.Title != want || front.ID != talkID || !front.Started.Equal(talkBegan) || !front.Ended.Equal(talkBegan.Add(time.Hour)) {
			t.Errorf("%q: %+v from\n%s", want, front, parts[1])
		}
		if !strings.HasSuffix(out, "first\n\n```\nleft open\n```\n") || !strings.Contains(out, "\n> **Summary**\n>\n> In short.\n") {
			t.Errorf("the note:\n%s", out)
		}
	}
}

// TestExportHasNoKey checks that no format contains a configured key or anything like one.
func TestExportHasNoKey(t *testing.T) {
	vault := keeps(t, func(m *conversation.Manager) {
		turn := talk("t1", 0, "my key is zq/9+Vw=canary7, and this AIzaSyA1234567890abcdefg_x", "Noted: basic recipes.")
		turn.Messages = append(turn.Messages, conversation.Message{
			Role: conversation.RoleAssistant, Time: turn.Ended,
			ToolCalls: []conversation.ToolCall{{ID: "c", Name: "write_file", Arguments: `{"path":"Keys.md","content":"one\nsk-abcdefgh12345\ntwo"}`, Target: "Keys.md"}},
		}, conversation.Message{Role: conversation.RoleTool, Time: turn.Ended, ToolCallID: "c", ToolName: "write_file", Content: "Created zq/9+Vw=canary7"})
		must(t, m.Append(talkID, turn))
	})
	for _, format := range []string{"--json=false", "--json"} {
		out, e, status := told(t, vault, false, "", "export", "last", format)
		for _, key := range []string{"canary7", "AIza", "sk-abc"} {
			if strings.Contains(out, key) {
				t.Errorf("%s: %s is in\n%s", format, key, out)
			}
		}
		if status != 0 || e != "" || !strings.Contains(out, "basic recipes") || !strings.Contains(out, "[redacted]") {
			t.Errorf("%s: status %d: %s%s", format, status, e, out)
		}
	}
}
