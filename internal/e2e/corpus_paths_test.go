package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"chatvault/internal/llmtest"
	"chatvault/internal/pathcorpus"
)

// stressed reports whether to run the long forms of the tests.
func stressed() bool { return os.Getenv("CHATVAULT_STRESS") != "" }

// everyNth returns the step through a corpus: 1 with CHATVAULT_STRESS, else n.
func everyNth(n int) int {
	if stressed() {
		return 1
	}
	return n
}

// command returns the real binary on a vault, with a home folder next to it.
func command(t *testing.T, vault string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(chatvault(t), append([]string{"--vault", vault}, args...)...)
	cmd.Dir = home
	cmd.Env = append([]string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off",
		"XDG_CONFIG_HOME=" + home + "/c", "XDG_STATE_HOME=" + home + "/s", "XDG_DATA_HOME=" + home + "/d",
	}, env...)
	return cmd
}

// toolNames returns the tools of the real binary.
func toolNames(t *testing.T) []string {
	t.Helper()
	out, err := command(t, t.TempDir(), nil, "tool", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var listed []struct{ Name string }
	if err := json.Unmarshal(out, &listed); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed {
		names = append(names, tool.Name)
	}
	return names
}

// TestBadPathsByTool sends the corpus of bad paths through `chatvault tool`, for every tool, with a process per call.
// The short form makes some of each row's calls.
func TestBadPathsByTool(t *testing.T) {
	t.Parallel()
	for _, name := range toolNames(t) {
		if !pathcorpus.Covers(name) {
			t.Errorf("no path of the corpus goes through %s", name)
		}
	}
	nth, ran := everyNth(18), 0
	for i, row := range pathcorpus.Rows(t) {
		for j, call := range pathcorpus.Calls {
			if !call.For(row) || (i+j)%nth != 0 {
				continue
			}
			ran++
			t.Run(fmt.Sprintf("%d/%s %d", i, call.Tool, j), func(t *testing.T) {
				t.Parallel()
				f := pathcorpus.Build(t, row)
				f.KeepsState()
				cmd := command(t, f.Vault, nil, "tool", call.Tool)
				cmd.Stdin = strings.NewReader(call.Args(row))
				var stdout, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				err := cmd.Run()
				f.Check(t)
				text := strings.TrimSuffix(stdout.String(), "\n")
				if err != nil {
					text = strings.TrimSuffix(stderr.String(), "\n")
					if code := cmd.ProcessState.ExitCode(); code != 1 || stdout.Len() > 0 {
						t.Errorf("exit status %d, stdout %q", code, &stdout)
					}
				}
				if wrong := call.Judge(row, text, err != nil, strings.Contains(text, "exists")); wrong != "" {
					t.Errorf("%s: %s %s: %s", row.Why, call.Tool, call.Args(row), wrong)
				}
			})
		}
	}
	if ran < 1000/nth {
		t.Errorf("only %d calls were made", ran)
	}
	t.Logf("%d calls", ran)
}

// In TestBadPathsByModel, a scripted model makes all calls of a row in one turn of `ask`.
func TestBadPathsByModel(t *testing.T) {
	t.Parallel()
	nth, ran := everyNth(6), 0
	for i, row := range pathcorpus.Rows(t) {
		long := len(row.Path) > 10_000 // all its calls fill the model's window
		if i%nth != 0 || long || len(row.Ops) == 1 && row.Ops[0] == "race" {
			continue
		}
		ran++
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			f := pathcorpus.Build(t, row)
			f.KeepsState()
			var steps []llmtest.Step
			var made []pathcorpus.Call
			for _, c := range pathcorpus.Calls {
				if c.For(row) {
					made = append(made, c)
				}
			}
			const most = 15 // calls of an answer
			for from := 0; from < len(made); from += most {
				var parts []llmtest.Option
				for _, c := range made[from:min(from+most, len(made))] {
					parts = append(parts, llmtest.Call(c.Tool, c.Args(row)))
				}
				steps = append(steps, llmtest.Say(parts...))
			}
			srv := llmtest.New(t, append(steps, llmtest.Reply("done"))...)
			out, err := command(t, f.Vault, append(provider(srv), "CHATVAULT_APPROVAL=off"), "ask", "look around").CombinedOutput()
			f.Check(t)
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			requests := srv.Requests()
			if len(requests) != len(steps)+1 {
				t.Fatalf("%d requests of %d: %s", len(requests), len(steps)+1, out)
			}
			results := toolResults(t, requests[len(requests)-1].Body)
			if len(results) != len(made) {
				t.Fatalf("%d results of %d calls", len(results), len(made))
			}
			for j, c := range made {
				is := row
				// An earlier call may have created or removed it. A model can only send UTF-8, which names another file.
				if row.Expect != pathcorpus.Deny || !utf8.ValidString(row.Path) {
					is.Expect = ""
				}
				if wrong := c.Judge(is, results[j], strings.HasPrefix(results[j], "Error: "), false); wrong != "" {
					t.Errorf("%s: %s %s: %s", row.Why, c.Tool, c.Args(row), wrong)
				}
			}
		})
	}
	if ran < 120/nth {
		t.Errorf("only %d rows were tried", ran)
	}
}

// toolResults returns the results in a request, in order.
func toolResults(t *testing.T, body []byte) []string {
	t.Helper()
	var chat llmtest.Chat
	if err := json.Unmarshal(body, &chat); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range chat.Messages {
		if m.Role == "tool" {
			out = append(out, string(m.Content))
		}
	}
	return out
}

// projectFile reads a file of the project by its path.
func projectFile(t testing.TB, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
