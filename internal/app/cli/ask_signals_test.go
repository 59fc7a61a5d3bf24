//go:build unix

package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// program is a running program under test.
type program struct {
	*exec.Cmd
	t      *testing.T
	vault  string
	out    io.ReadCloser
	stderr strings.Builder
}

// run starts the program on a new vault with a scripted model.
func run(t *testing.T, vault string, steps []llmtest.Step, args ...string) *program {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	srv := llmtest.New(t, steps...)
	home := t.TempDir()
	p := &program{t: t, vault: vault}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	p.Cmd = exec.CommandContext(ctx, exe, append([]string{"--vault", vault}, args...)...)
	p.Env = []string{
		asProgram + "=1", "HOME=" + home, "XDG_STATE_HOME=" + os.Getenv("XDG_STATE_HOME"), "XDG_CONFIG_HOME=" + home, "PATH=" + os.Getenv("PATH"),
		"OPENAI_BASE_URL=" + srv.URL(), "OPENAI_API_KEY=k", "CHATVAULT_MODEL=m",
		"GORACE=atexit_sleep_ms=0", // with -race it would sleep a second before exiting
	}
	p.Stderr = &p.stderr
	if p.out, err = p.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// until reads lines of stdout until one contains text.
func (p *program) until(text string) *bufio.Reader {
	p.t.Helper()
	r := bufio.NewReader(p.out)
	for {
		line, err := r.ReadString('\n')
		if strings.Contains(line, text) {
			return r
		}
		if err != nil {
			p.t.Fatalf("%q did not come: %v\n%s", text, err, p.stderr.String())
		}
	}
}

func (p *program) signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}

// exits reads the rest and returns the last line and the status.
func (p *program) exits(r io.Reader) (last string, status int) {
	p.t.Helper()
	data, _ := io.ReadAll(r)
	_ = p.Wait() // the status is checked
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return lines[len(lines)-1], p.ProcessState.ExitCode()
}

func lastType(t *testing.T, line string) string {
	t.Helper()
	var e struct{ Type string }
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Errorf("the last line is %q: %v", line, err)
	}
	return e.Type
}

// kept returns the output of `inbox list --json` for the vault.
func kept(t *testing.T, vault string) string {
	t.Helper()
	p := run(t, vault, nil, "inbox", "list", "--json")
	data, _ := io.ReadAll(p.out)
	if err := p.Wait(); err != nil {
		t.Error(err, p.stderr.String())
	}
	return string(data)
}

// soon is the timeout for exiting: far below the 20 s after which the test kills the program, and far above what a
// busy machine needs.
const soon = 8 * time.Second

var hangs = []llmtest.Step{llmtest.Reply("begun", llmtest.Hang())}

func TestInterruptAtAnyMoment(t *testing.T) {
	for i := range 8 {
		vault := newVault(t)
		p := run(t, vault, hangs, "ask", "--json", "do it")
		r := p.until(`"received"`)
		time.Sleep(time.Duration(i) * 3 * time.Millisecond)
		began := time.Now()
		p.signal(syscall.SIGINT)
		last, status := p.exits(r)
		if status != 130 || lastType(t, last) != "turn_stopped" || time.Since(began) > soon {
			t.Fatalf("run %d: status %d after %v, last line %s\n%s", i, status, time.Since(began), last, p.stderr.String())
		}
		if got := kept(t, vault); got != "" {
			t.Errorf("kept %s", got)
		}
	}
}

func TestTerminationKeepsTheMessage(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		vault := newVault(t)
		p := run(t, vault, hangs, "ask", "--json", "do it")
		r := p.until(`"text_delta"`)
		began := time.Now()
		p.signal(sig)
		last, status := p.exits(r)
		if status != 128+int(sig) || lastType(t, last) != "turn_stopped" || time.Since(began) > soon {
			t.Errorf("%v: status %d after %v, last line %s", sig, status, time.Since(began), last)
		}
		if got := kept(t, vault); !strings.Contains(got, `"text":"do it"`) || !strings.Contains(got, "the program ended before it was done") {
			t.Errorf("%v: kept %q", sig, got)
		}
	}
}

// words returns n different words: a repetitive answer would be cut off.
func words(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%d ", i)
	}
	return b.String()
}

// TestClosedOutput checks that the turn is stopped, even if the reader leaves before it begins.
func TestClosedOutput(t *testing.T) {
	for _, after := range []string{"", `"received"`, `"text_delta"`} {
		vault := newVault(t)
		p := run(t, vault, []llmtest.Step{llmtest.Reply(words(2000), llmtest.Hang())}, "ask", "--json", "do it")
		if after != "" {
			p.until(after)
		}
		_ = p.out.Close()
		_ = p.Wait() // the status is checked
		if p.ProcessState.ExitCode() != 1 || p.stderr.Len() > 0 {
			t.Errorf("after %q: %v, stderr %q", after, p.ProcessState, p.stderr.String())
		}
		if got := kept(t, vault); got != "" {
			t.Errorf("after %q: kept %s", after, got)
		}
	}
}

func TestFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = full.Close() }()
	srv := llmtest.New(t, llmtest.Reply("an answer"))
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	c := exec.Command(exe, "--vault", newVault(t), "ask", "do it")
	c.Env = []string{asProgram + "=1", "HOME=" + home, "OPENAI_BASE_URL=" + srv.URL(), "OPENAI_API_KEY=k", "CHATVAULT_MODEL=m"}
	c.Stdout = full
	if err := c.Run(); c.ProcessState == nil || c.ProcessState.ExitCode() != 1 {
		t.Errorf("%v, %v", c.ProcessState, err)
	}
}
