package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatvault/internal/ptytest"
)

// wire is a handwritten client of `chatvault mcp`.
type wire struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func newWire(t *testing.T, h askHome, version string) *wire {
	t.Helper()
	w := &wire{t: t, cmd: exec.Command(chatvault(t), "mcp", "--vault", h.vault)}
	w.cmd.Env = ptytest.Env("HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir+"/c", "XDG_STATE_HOME="+h.dir+"/s", "XDG_DATA_HOME="+h.dir+"/d")
	w.cmd.Stderr = os.Stderr
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.out = bufio.NewReaderSize(out, 1<<20)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill()
		_ = w.cmd.Wait()
	})
	w.send("start", "initialize", map[string]any{"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "wire", "version": "1"}})
	w.answers(1)
	_, _ = io.WriteString(w.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return w
}

func (w *wire) send(id any, method string, params any) {
	w.t.Helper()
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.in.Write(append(data, '\n')); err != nil {
		w.t.Fatalf("%s: it takes no more: %v", method, err)
	}
}

// answers reads n answers.
func (w *wire) answers(n int) (all []map[string]json.RawMessage) {
	w.t.Helper()
	for len(all) < n {
		line, err := w.out.ReadBytes('\n')
		if err != nil {
			w.t.Fatalf("it ended after %d of %d answers: %v", len(all), n, err)
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(line, &m); err != nil {
			w.t.Fatalf("%v: %.300s", err, line)
		}
		if m["method"] == nil {
			all = append(all, m)
		}
	}
	return all
}

// A client that names something nonexistent, in any characters, gets an error, and the server continues.
func TestMCPOddNames(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	for _, version := range []string{"2025-06-18", "2024-11-05"} {
		w := newWire(t, h, version)
		for i, odd := range []string{
			"\x00", "a\x01b", "bell\a", "esc\x1b[2J", "\v", "\x7f", "\u0085", "\u2028", "🇩🇪", "🏳️‍🌈", "\U000E0041", "\u202e", "\ufeff", "\ufffd", "\U0010FFFF", `"`, `\`, "%00", "%zz", "vault:///",
		} {
			for j, call := range []struct {
				method string
				params any
				fine   bool // it may be no error
			}{
				{"resources/read", map[string]any{"uri": odd}, false},
				{"resources/read", map[string]any{"uri": "vault:///" + odd}, false},
				{"resources/read", map[string]any{"uri": "vault:///no/" + odd + ".md"}, false},
				{"resources/read", map[string]any{"uri": "file:///" + odd}, false},
				{"resources/subscribe", map[string]any{"uri": "vault:///no/" + odd}, false},
				{"resources/subscribe", map[string]any{"uri": odd}, false},
				{"resources/unsubscribe", map[string]any{"uri": odd}, true},
				{"resources/list", map[string]any{"cursor": odd}, false},
				{"prompts/get", map[string]any{"name": odd, "arguments": map[string]any{odd: odd}}, false},
				{"prompts/list", map[string]any{"cursor": odd}, false},
				{"tools/call", map[string]any{"name": odd, "arguments": map[string]any{odd: odd}}, false},
				{"tools/call", map[string]any{"name": "read_file", "arguments": map[string]any{"path": odd}}, true},
				{"tools/call", map[string]any{"name": "read_file", "arguments": map[string]any{odd: odd}}, true},
				{"tools/call", map[string]any{"name": "undo", "arguments": map[string]any{"id": odd}}, true},
				{"tools/list", map[string]any{"cursor": odd}, false},
				{"completion/complete", map[string]any{"ref": map[string]any{"type": "ref/prompt", "name": odd}, "argument": map[string]any{"name": odd, "value": odd}}, true},
				{"completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": odd}, "argument": map[string]any{"name": odd, "value": odd}}, true},
				{"completion/complete", map[string]any{"ref": map[string]any{"type": odd}, "argument": map[string]any{"name": odd, "value": odd}}, false},
				{"logging/setLevel", map[string]any{"level": odd}, true},
				{"x" + odd, map[string]any{odd: odd}, false},
			} {
				id := fmt.Sprint(i, "-", j, odd)
				w.send(id, call.method, call.params)
				got := w.answers(1)[0]
				var answered string
				if err := json.Unmarshal(got["id"], &answered); err != nil || answered != id {
					t.Errorf("%s of %q answers %s", call.method, odd, got["id"])
				}
				if got["error"] == nil && !call.fine {
					t.Errorf("%s of %q is no error: %s", call.method, odd, got["result"])
				}
			}
		}
		w.send("last", "resources/read", map[string]any{"uri": "vault:///Home.md"})
		if got := w.answers(1)[0]; !strings.Contains(string(got["result"]), "# Home") {
			t.Errorf("afterwards: %s", got["error"])
		}
		_ = w.in.Close()
		if err := w.cmd.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	}
}

var peak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// A client that reads many large notes at once gets all of them. Few of them are in memory at a time, even if it does
// not read the answers.
func TestMCPManyReads(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("Oaks \"and\" <elms>\t\\ 🌳 ", 30) + "\n"
	h := newAskHome(t, map[string]string{"Big.md": strings.Repeat(line, 7<<20/len(line))})
	w := newWire(t, h, "2025-06-18")
	const reads = 60
	for i := range reads {
		w.send(i, "resources/read", map[string]any{"uri": "vault:///Big.md"})
	}
	time.Sleep(2 * time.Second)
	for i, got := range w.answers(reads) {
		if len(got["result"]) < 7<<20 {
			t.Fatalf("answer %d: %d bytes, %s", i, len(got["result"]), got["error"])
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	if err != nil {
		t.Skip("the system does not tell how much memory a process took")
	}
	kb, err := strconv.Atoi(peak.FindStringSubmatch(string(status))[1])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("at most %d MB", kb>>10)
	if kb > 400<<10 {
		t.Errorf("it took %d MB", kb>>10)
	}
}
