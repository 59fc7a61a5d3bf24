//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/creack/pty"
)

// Numbers of questions to each of the two programs.
const (
	editorRounds = 43 // in total
	editorWarm   = 3  // not measured
)

// firstText is the timeout for the first text of an answer.
const firstText = 20 * time.Second

// measureEditor times the first text of an answer from a model that answers at once: in an editor, from
// session/prompt to the first chunk; in the chat, from Enter to the text on the screen.
func measureEditor(ctx context.Context, b *bench) error {
	s, err := startModelServer()
	if err != nil {
		return err
	}
	defer s.stop()
	env := append(append([]string{}, b.env...), "OPENAI_BASE_URL="+s.url, "OPENAI_API_KEY=none", "CHATVAULT_MODEL=bench")
	vault, err := b.sample("editor")
	if err != nil {
		return err
	}
	editor, err := startEditor(ctx, b.binary, vault, env)
	if err != nil {
		return err
	}
	defer editor.stop()
	chat, err := startChat(ctx, b.binary, vault, env)
	if err != nil {
		return err
	}
	defer chat.stop()
	took := map[asker][]float64{}
	for round := range editorRounds {
		both := []asker{editor, chat}
		if round%2 == 1 {
			both[0], both[1] = both[1], both[0]
		}
		for _, a := range both {
			d, err := a.ask(s.next())
			if err != nil {
				return err
			}
			if round >= editorWarm {
				took[a] = append(took[a], float64(d.Microseconds())/1000)
			}
		}
	}
	b.report(row{
		name: "in an editor: session/prompt to first chunk", ours: median(took[editor]), anchor: median(took[chat]), unit: "ms",
		versus: "the chat: Enter to first text", target: 1.1,
	})
	return nil
}

// modelServer is a model server that answers at once, with a different word each time.
type modelServer struct {
	url    string
	server *http.Server
	count  atomic.Int64
}

func startModelServer() (*modelServer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &modelServer{url: "http://" + l.Addr().String() + "/v1"}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: firstText}
	go func() { _ = s.server.Serve(l) }() // returns after stop
	return s, nil
}

func (s *modelServer) stop() { _ = s.server.Close() }

// next advances to the next answer and returns its word.
func (s *modelServer) next() string { return word(s.count.Add(1)) }

func word(n int64) string { return fmt.Sprintf("Wq%dqW", n) }

func (s *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		fmt.Fprint(w, `{"data":[{"id":"bench"}]}`)
		return
	}
	text := word(s.count.Load())
	if strings.Contains(string(body), "TITLE:") { // a background request for a conversation's title
		text = "TITLE: Bench"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, finish string) {
		fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
		w.(http.Flusher).Flush()
	}
	content, _ := json.Marshal(text) // marshaling a string cannot fail
	send(`{"role":"assistant","content":`+string(content)+`}`, "null")
	send(`{}`, `"stop"`)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// asker is a running program that answers questions.
type asker interface {
	// ask asks a question and returns the time until the given word of the answer appears.
	ask(word string) (time.Duration, error)
	stop()
}

// program is a running program with its input and output.
type program struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	output chan string // output in pieces; closed at its end
}

// listen sends the program's output to the channel until it ends.
func (p *program) listen(out io.Reader) {
	defer close(p.output)
	r := bufio.NewReaderSize(out, 1<<20)
	buf := make([]byte, 1<<16)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			p.output <- string(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// await reads output until it contains a text. It returns an error at the end of the output or after a
// timeout.
func (p *program) await(text string) error {
	late := time.After(firstText)
	var all strings.Builder
	for !strings.Contains(all.String(), text) {
		select {
		case s, open := <-p.output:
			if !open {
				return errors.New("it ended")
			}
			all.WriteString(s)
		case <-late:
			s := all.String()
			return fmt.Errorf("%q did not come; it said %q", text, s[max(len(s)-500, 0):])
		}
	}
	return nil
}

// settle discards output until there is none for 150 ms.
func (p *program) settle() {
	for {
		select {
		case _, open := <-p.output:
			if !open {
				return
			}
		case <-time.After(150 * time.Millisecond):
			return
		}
	}
}

func (p *program) stop() {
	_ = p.cmd.Process.Kill()
	go func() {
		for range p.output { // discard the remaining output
		}
	}()
	_ = p.cmd.Wait() // fails, because the program was killed
	_ = p.in.Close()
}

// editorProgram is the chat in an editor.
type editorProgram struct {
	program
	session string
	id      int
}

func startEditor(ctx context.Context, binary, vault string, env []string) (*editorProgram, error) {
	e := &editorProgram{program: program{cmd: exec.CommandContext(ctx, binary, "acp", "--vault", vault), output: make(chan string, 1024)}}
	e.cmd.Env = env
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	for _, r := range []string{
		`"method":"initialize","params":{"protocolVersion":1}`,
		fmt.Sprintf(`"method":"session/new","params":{"cwd":%q,"mcpServers":[]}`, vault),
	} {
		e.id++
		fmt.Fprintf(e.in, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", e.id, r)
		var answer struct {
			Result struct {
				SessionID string `json:"sessionId"`
			} `json:"result"`
		}
		line, err := lines.ReadBytes('\n')
		if err = errors.Join(err, json.Unmarshal(line, &answer)); err != nil {
			e.stop()
			return nil, err
		}
		e.session = answer.Result.SessionID
	}
	go e.listen(lines)
	e.settle()
	return e, nil
}

func (e *editorProgram) ask(word string) (time.Duration, error) {
	e.id++
	began := time.Now()
	fmt.Fprintf(e.in, `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"tell me"}]}}`+"\n", e.id, e.session)
	err := e.await(word)
	took := time.Since(began)
	e.settle()
	return took, err
}

// chatProgram is the chat in a terminal.
type chatProgram struct {
	program
}

func startChat(ctx context.Context, binary, vault string, env []string) (*chatProgram, error) {
	c := &chatProgram{program{cmd: exec.CommandContext(ctx, binary, "--vault", vault), output: make(chan string, 1024)}}
	c.cmd.Env = append(env, "TERM=xterm-256color", "COLORFGBG=15;0")
	c.cmd.Dir = filepath.Dir(vault)
	terminal, err := pty.StartWithSize(c.cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		return nil, err
	}
	c.in = terminal
	go c.listen(terminal)
	if err := c.await(placeholder); err != nil {
		c.stop()
		return nil, err
	}
	c.settle()
	return c, nil
}

func (c *chatProgram) ask(word string) (time.Duration, error) {
	fmt.Fprint(c.in, "tell me")
	c.settle()
	began := time.Now()
	fmt.Fprint(c.in, "\r")
	err := c.await(word)
	took := time.Since(began)
	c.settle()
	return took, err
}
