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

	"chatvault/internal/llmtest"
)

// asker runs `chatvault ask` with the providers of a user's configuration, on its own vault.
type asker struct {
	t           *testing.T
	home, vault string
}

func newAsker(t *testing.T, settings string, notes map[string]string) asker {
	t.Helper()
	home := t.TempDir()
	a := asker{t, home, filepath.Join(home, "Notes")}
	for name, text := range notes {
		a.write(filepath.Join(a.vault, name), text)
	}
	a.settings(settings)
	return a
}

func (a asker) write(path, text string) {
	a.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

func (a asker) settings(text string) {
	a.t.Helper()
	a.write(filepath.Join(a.home, "c", "chatvault", "config.toml"), text)
}

func (a asker) env() []string {
	return []string{
		"HOME=" + a.home, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off", "TERM=xterm-256color", "CHATVAULT_APPROVAL=off", "TEST_KEY=sk-test-0123456789abcdef",
		"XDG_CONFIG_HOME=" + a.home + "/c", "XDG_STATE_HOME=" + a.home + "/s", "XDG_DATA_HOME=" + a.home + "/d",
	}
}

// providerAt returns the configuration of a provider at a server.
func providerAt(name string, srv *llmtest.Server, model string) string {
	return fmt.Sprintf("[providers.%q]\nbase_url = %q\nmodel = %q\napi_key_env = \"TEST_KEY\"\n", name, srv.URL(), model)
}

// told is the result of a turn in ask --json.
type told struct {
	reasoning, text, response string
	calls                     []string // arguments of the tools that were started
	usage                     [2]int   // of the first call
	notices                   []string
	failed                    string
}

func (a asker) ask(args ...string) told {
	a.t.Helper()
	cmd := exec.Command(chatvault(a.t), append([]string{"--vault", a.vault, "ask", "--json"}, args...)...)
	cmd.Env = a.env()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var out told
	for line := range strings.Lines(stdout.String()) {
		var e struct {
			Type, Text, Response string
			Arguments            json.RawMessage
			Prompt               int `json:"prompt_tokens"`
			Completion           int `json:"completion_tokens"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			a.t.Fatalf("%v: %s", err, line)
		}
		switch e.Type {
		case "reasoning_delta":
			out.reasoning += e.Text
		case "text_delta":
			out.text += e.Text
		case "tool_started":
			out.calls = append(out.calls, string(e.Arguments))
		case "usage":
			if out.usage == [2]int{} {
				out.usage = [2]int{e.Prompt, e.Completion}
			}
		case "turn_finished":
			out.response = e.Response
		case "turn_failed":
			out.failed = line
		case "notice":
			out.notices = append(out.notices, e.Text)
		}
	}
	if err != nil && out.failed == "" {
		a.t.Fatalf("%v\n%s\n%s", err, stdout.String(), stderr.String())
	}
	return out
}
