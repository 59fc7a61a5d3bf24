package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// npmPackages are the npm packages that the tests need, in these versions.
var npmPackages = []string{"node@22", "@agentclientprotocol/sdk@2.4.0", "acpx@0.19.1"}

// npm returns a folder with npmPackages, which is kept between runs. It skips the test if they are not available.
func npm(t *testing.T) (dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("npm's packages are left to the long tests")
	}
	dir, why := npmFolder()
	if why != "" {
		t.Skip(why)
	}
	return dir
}

var npmFolder = sync.OnceValues(func() (dir, why string) {
	if _, err := exec.LookPath("npm"); err != nil {
		return "", "there is no npm here"
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err.Error()
	}
	cache = filepath.Join(cache, "chatvault-test")
	dir = filepath.Join(cache, strings.NewReplacer("/", "_", "@", "_", " ", "_").Replace(strings.Join(npmPackages, " ")))
	if _, err := os.Stat(dir); err == nil {
		return dir, ""
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err.Error()
	}
	fresh, err := os.MkdirTemp(cache, "install")
	if err != nil {
		return "", err.Error()
	}
	defer func() { _ = os.RemoveAll(fresh) }() // it has another name where all went well
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", append([]string{"install", "--no-audit", "--no-fund", "--prefix", fresh}, npmPackages...)...)
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Sprintf("npm cannot install what is needed: %v\n%s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, err := os.Stat(dir); err != nil { // else another run was quicker
			return "", err.Error()
		}
	}
	return dir, ""
})

// npmRun runs a program of npm's packages with Node.
func npmRun(t *testing.T, h askHome, dir string, srv *llmtest.Server, args ...string) (out string, err error) {
	t.Helper()
	env := []string{
		"PATH=" + filepath.Join(dir, "node_modules", ".bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + h.dir, "XDG_CONFIG_HOME=" + h.dir + "/c", "XDG_STATE_HOME=" + h.dir + "/s", "XDG_DATA_HOME=" + h.dir + "/d", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off",
	}
	if srv != nil {
		env = append(env, "OPENAI_BASE_URL="+srv.URL(), "OPENAI_API_KEY=sk-env-0123456789abcdef", "CHATVAULT_MODEL=test-model")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 8*patience)
	defer cancel()
	run := exec.CommandContext(ctx, filepath.Join(dir, "node_modules", ".bin", args[0]), args[1:]...)
	run.Env, run.Dir = ptytest.Env(env...), h.vault
	said, err := run.CombinedOutput()
	return string(said), err
}

// An editor that uses the protocol's own TypeScript library, which validates every message against its schemas:
// prompts, consent, cancellation, sessions, questions.
func TestACPTypeScriptLibrary(t *testing.T) {
	t.Parallel()
	dir := npm(t)
	write := func(name, text, when string) llmtest.Step {
		return llmtest.ToolCall("write_file", map[string]any{"path": name, "content": text}, llmtest.When(`user contains "`+when+`"`))
	}
	srv := llmtest.New(t,
		write("Refused.md", "x\n", "refuse"), llmtest.Reply("Not written.", llmtest.When(`tool result contains "denied"`)),
		write("Allowed.md", "allowed\n", "allow"), llmtest.Reply("Allowed it is.", llmtest.When(`tool result contains "Created"`)),
		llmtest.Say(llmtest.Text("Hanging "), llmtest.Flush(), llmtest.Hang(), llmtest.When(`user contains "hang"`)),
		llmtest.Reply("Second session.", llmtest.When(`user contains "second"`)),
		llmtest.ToolCall("ask_user", map[string]any{"question": "Which?", "options": []any{"plums", "figs"}}, llmtest.When(`user contains "question"`)),
		llmtest.Reply("Figs then.", llmtest.When(`user contains "figs"`)),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	script, err := filepath.Abs(filepath.Join("internal", "e2e", "testdata", "acp_client.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := npmRun(t, h, dir, srv, "node", script, dir, chatvault(t), h.vault)
	if err != nil || !strings.HasSuffix(strings.TrimSpace(out), "ok") {
		t.Errorf("%v\n%s", err, out)
	}
}

// acpx, a command line client, gets answers from the embedded engine. Rejecting everything changes no byte, allowing it
// writes, and its JSON is valid.
func TestACPX(t *testing.T) {
	t.Parallel()
	dir := npm(t)
	h := newAskHome(t, map[string]string{"Plums.md": "# Plums\n\nPlum jam needs sugar.\n"})
	agent := chatvault(t) + " acp --offline --vault " + h.vault
	out, err := npmRun(t, h, dir, nil, "acpx", "--agent", agent, "exec", "what does plum jam need?")
	if err != nil || !strings.Contains(out, "sugar") {
		t.Errorf("%v\n%s", err, out)
	}
	before := h.note(t, "Plums.md")
	const create = `create a note Figs.md with "Figs are sweet"`
	if out, err := npmRun(t, h, dir, nil, "acpx", "--deny-all", "--agent", agent, "exec", create); err == nil {
		t.Errorf("acpx says that nothing was denied:\n%s", out)
	}
	if files, err := filepath.Glob(filepath.Join(h.vault, "*")); err != nil || len(files) != 1 || h.note(t, "Plums.md") != before {
		t.Errorf("denied, and there are %v, %v", files, err)
	}
	out, err = npmRun(t, h, dir, nil, "acpx", "--approve-all", "--format", "json", "--json-strict", "--agent", agent, "exec", create)
	if err != nil || !strings.Contains(h.note(t, "Figs.md"), "Figs are sweet") {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range strings.Lines(strings.TrimSpace(out)) {
		if !strings.HasPrefix(line, `{"jsonrpc":"2.0"`) {
			t.Errorf("no message: %q", line)
		}
	}
}
