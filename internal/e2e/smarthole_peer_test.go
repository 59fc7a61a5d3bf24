package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"chatvault/internal/llmtest"
	"chatvault/internal/llmtest/hubtest"
	"chatvault/internal/ptytest"
)

// impostorAt makes the test binary run as SmartHole at this address.
const impostorAt = "CHATVAULT_TEST_IMPOSTOR"

// impersonate runs as SmartHole until its input ends, and prints what it received.
func impersonate(addr string) error {
	hub, err := hubtest.StartAt(addr)
	if err != nil {
		return err
	}
	fmt.Println("listening")
	_, _ = io.Copy(io.Discard, os.Stdin)
	registered := 0
	hub.Await(0, func(n int, _ []hubtest.Response) bool { registered = n; return true })
	fmt.Printf("%d connections, %d registrations\n", len(hub.Dials()), registered)
	return nil
}

// A program of another user on SmartHole's port gets nothing from serve, which names the cause. When
// SmartHole is back, serve connects.
func TestSmartHoleOfAnotherUser(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("only root can run a program of another user, and only Linux names its owner")
	}
	hub, err := hubtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	hub.Away()
	impostor := exec.Command("/proc/self/exe")
	impostor.Dir = "/"
	impostor.Env = append(os.Environ(), impostorAt+"="+strings.TrimPrefix(hub.URL(), "ws://"))
	impostor.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	impostor.Stderr = os.Stderr
	in, errIn := impostor.StdinPipe()
	out, errOut := impostor.StdoutPipe()
	if errIn != nil || errOut != nil {
		t.Fatal(errIn, errOut)
	}
	if err := impostor.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = impostor.Wait() }()
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "listening" {
		t.Fatalf("the impostor does not listen: %q", lines.Text())
	}
	h, env := smartHoleHome(t, "url = \""+hub.URL()+"\"\n")
	const cause = "a program of another user (uid 65534) listens at"
	x := serveSmartHole(t, h, env)
	x.WaitFor(cause, patience)
	_ = in.Close()
	if !lines.Scan() || !strings.HasSuffix(lines.Text(), " connections, 0 registrations") || strings.HasPrefix(lines.Text(), "0") {
		t.Errorf("the impostor got %q", lines.Text())
	}
	if err := impostor.Wait(); err != nil {
		t.Error(err)
	}
	if err := hub.Back(); err != nil {
		t.Fatal(err)
	}
	x.WaitFor("SmartHole: connected", patience)
	x.Signal(syscall.SIGTERM)
	x.Wait(patience)
}

// With a token, messages are accepted only from a SmartHole that proves it knows it. The token is never sent, shown or
// logged.
func TestSmartHoleToken(t *testing.T) {
	t.Parallel()
	const token = "correct-horse-battery"
	for name, its := range map[string]string{"the same": token, "another": "wrong-horse-battery", "none": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hub, err := hubtest.Start()
			if err != nil {
				t.Fatal(err)
			}
			defer hub.Close()
			hub.SetToken(its)
			h, env := smartHoleHome(t, "url = \""+hub.URL()+"\"\ntoken = \""+token+"\"\n")
			x := serveSmartHole(t, h, env)
			if its == token {
				x.WaitFor("SmartHole: connected", patience)
			} else {
				x.WaitFor("did not prove that it knows smarthole.token", patience)
			}
			x.Signal(syscall.SIGTERM)
			x.Wait(patience)
			show := exec.Command(chatvault(t), "config", "show", "--vault", h.vault)
			show.Dir, show.Env = h.dir, env
			said, err := show.CombinedOutput()
			if err != nil || !strings.Contains(string(said), "smarthole.token") {
				t.Errorf("config show: %v\n%s", err, said)
			}
			log, err := os.ReadFile(filepath.Join(h.state(), "chatvault.log"))
			if err != nil {
				t.Error(err)
			}
			for from, text := range map[string]string{"config show": string(said), "the log": string(log), "the screen": x.Screen(), "what SmartHole got": string(hub.Registration())} {
				if strings.Contains(text, token) {
					t.Errorf("%s holds the token:\n%s", from, text)
				}
			}
		})
	}
}

// smartHoleHome creates a home with these lines in the settings of SmartHole, and its environment.
func smartHoleHome(t *testing.T, lines string) (askHome, []string) {
	t.Helper()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	settings := filepath.Join(h.dir, "c", "chatvault", "config.toml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("[smarthole]\n"+lines), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := llmtest.New(t)
	return h, ptytest.Env("HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir+"/c", "XDG_STATE_HOME="+h.dir+"/s", "XDG_DATA_HOME="+h.dir+"/d", "CHATVAULT_KEYRING=off",
		"OPENAI_BASE_URL="+srv.URL(), "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model")
}

func serveSmartHole(t *testing.T, h askHome, env []string) *ptytest.Terminal {
	t.Helper()
	return ptytest.Start(t, ptytest.Options{Path: chatvault(t), Args: []string{"serve", "--vault", h.vault}, Dir: h.dir, Width: 300, Env: env})
}
