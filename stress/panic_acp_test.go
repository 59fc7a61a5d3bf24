//go:build unix

package stress

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"
)

// TestPanicsOfAnEditor: a panic in the chat inside an editor ends it with a status that says so and a
// report; what was asked for consent is not done.
func TestPanicsOfAnEditor(t *testing.T) {
	bin := failing(t)
	for _, point := range []string{"acp request", "acp events", "acp models", "acp consent", "close session"} {
		h := newHome(t, scratch(t), bin, model(t), map[string]string{"Home.md": "# Home\n", "log.md": "# Log\n"})
		cmd := exec.Command(bin, h.args("acp")...)
		cmd.Dir, cmd.Env = h.dir, h.environment("CHATVAULT_FAILPOINT=panic goroutine "+point+" 1")
		in, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err)
		var said bytes.Buffer
		cmd.Stderr = &said
		must(t, cmd.Start())
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`+"\n")
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", h.vault)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var m struct {
				ID     int
				Method string
				Result struct{ SessionID string }
			}
			if json.Unmarshal(lines.Bytes(), &m) != nil {
				t.Errorf("%s: no message: %s", point, lines.Text())
			}
			switch {
			case m.Result.SessionID != "" && point == "close session":
				must(t, in.Close())
			case m.Result.SessionID != "":
				fmt.Fprintf(in, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"append: please do it"}]}}`+"\n", m.Result.SessionID)
			}
		}
		_ = cmd.Wait() // its status tells
		if status := cmd.ProcessState.ExitCode(); status != 1 || !bytes.Contains(said.Bytes(), []byte("on purpose")) {
			t.Errorf("%s: %d\n%s", point, status, said.String())
		}
		if point != "acp request" { // no vault was open
			h.report(t)
		}
		if got := read(t, h.vault+"/log.md"); got != "# Log\n" {
			t.Errorf("%s: it was done without consent: %q", point, got)
		}
	}
}
