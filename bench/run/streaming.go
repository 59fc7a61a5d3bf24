//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// transcript is how long the transcript is into which an answer streams, in messages.
const transcript = 10_000

// Keys that bench/firstframe sends before it measures: all of the transcript is read and drawn,
// then an answer is asked for.
const (
	toBeginning = `\x1b[1;5H` // Ctrl+Home
	toEnd       = `\x1b[1;5F` // Ctrl+End
	question    = `tell me\r`
)

// answerPart is repeated to an answer. It holds none of the keys that are typed meanwhile.
const answerPart = "## Part %d\n\nThe note about plums says that the tree bears fruit in **August**, see [[Plum]] and `plum` for more of it, " +
	"with enough words here to run over the end of a line once or more.\n\n- first, a point about the tart\n- and one about the garden\n\n" +
	"> A passage that is told again.\n\n"

// streaming is a bench/ssebench that runs.
type streaming struct {
	cmd *exec.Cmd
	url string
}

// stream starts a server that answers with so many bytes in so many tokens, so many a second.
func (b *bench) stream(ctx context.Context, bytes, tokens, rate int) (*streaming, error) {
	binary, err := b.build(ctx, "ssebench", ".", "./bench/ssebench")
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for i := 0; text.Len() < bytes; i++ {
		fmt.Fprintf(&text, answerPart, i)
	}
	script := filepath.Join(b.keep, "answer.md")
	if err := os.WriteFile(script, []byte(text.String()[:bytes]), 0o600); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	s := &streaming{url: "http://" + addr}
	s.cmd = exec.CommandContext(ctx, binary, "-addr", addr, "-script", script, "-tokens", fmt.Sprint(tokens), "-rate", fmt.Sprint(rate))
	s.cmd.Env = b.env
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		if _, err = s.sent(); err == nil {
			return s, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("bench/ssebench does not answer: %w", err)
}

func (s *streaming) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
}

// sent is how many pieces of answers it has sent so far.
func (s *streaming) sent() (int, error) {
	r, err := http.Get(s.url + "/stats")
	if err != nil {
		return 0, err
	}
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return 0, err
	}
	var f struct {
		Chunks int `json:"chunks"`
	}
	return f.Chunks, json.Unmarshal(body, &f)
}

// chat is the chat on a vault with this server as its provider.
func (s *streaming) chat(b *bench, vault string) screen {
	return screen{
		ready: placeholder, args: []string{b.binary, "--vault", vault},
		env: []string{"OPENAI_BASE_URL=" + s.url + "/v1", "OPENAI_API_KEY=none", "CHATVAULT_MODEL=bench"},
	}
}

// streamingEcho times from a key to its echo, and from Esc to the screen that says that it stops, while
// an answer streams, 1,000 tokens a second, into a transcript of 10,000 messages, all of which was drawn before.
func (c chatBench) streamingEcho(ctx context.Context) error {
	const tokens, rate, rounds = 10_000, 1000, 3
	long, err := c.long(ctx)
	if err != nil {
		return err
	}
	s, err := c.stream(ctx, 4*tokens, tokens, rate)
	if err != nil {
		return err
	}
	defer s.stop()
	var ours, floor screenFigures
	for i := range rounds {
		vault := fmt.Sprintf("%s-%d", long, i) // a turn that is cut off is offered at the next start
		if err := errors.Join(os.RemoveAll(vault), os.CopyFS(vault, os.DirFS(long))); err != nil {
			return err
		}
		before, err := s.sent()
		if err != nil {
			return err
		}
		f, err := c.watch(ctx, s.chat(c.bench, vault), "-n", "1", "-idle", "1s", "-cpu", "1s",
			"-pre", toBeginning, "-pre", toEnd, "-pre", question, "-keys", keysTyped, "-stop", "Stopp(ing|ed)")
		if err != nil {
			return err
		}
		if f.Stop == 0 {
			return errors.New("nothing stopped after Esc")
		}
		after, err := s.sent()
		if err != nil {
			return err
		}
		if got := after - before; got < rate || got >= tokens {
			return fmt.Errorf("%d tokens were streamed while keys were typed, want from %d to %d", got, rate, tokens)
		}
		ours.add(f)
		if f, err = c.watch(ctx, c.floor, "-n", "1", "-idle", "1s", "-cpu", "1s", "-keys", keysTyped); err != nil {
			return err
		}
		floor.add(f)
	}
	c.report(
		row{
			name: "the same while 1,000 tokens a second stream", ours: p95(ours.Keys), anchor: p95(floor.Keys), unit: "ms", versus: "bench/baretui, idle", target: 1.2,
			note: fmt.Sprintf("below %d messages; %s", transcript, ours.missed()),
		},
		row{name: "Esc to stopping, meanwhile", ours: slices.Max(ours.stops), anchor: 250, unit: "ms", versus: "250 ms", target: 1},
	)
	return nil
}

// long is a vault with a conversation of 10,000 messages.
func (b *bench) long(ctx context.Context) (string, error) {
	dir, err := b.sample("long")
	if err != nil {
		return "", err
	}
	gen, err := b.build(ctx, "genchat", ".", "./bench/genchat")
	if err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, gen, "-vault", dir, "-messages", fmt.Sprint(transcript)).CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot generate the conversation: %w: %s", err, out)
	}
	return dir, nil
}

// measureStreaming measures what an answer of 20 KB at 100 tokens a second takes of a core, beyond
// what the idle screen of the same process took before.
func measureStreaming(ctx context.Context, b *bench) error {
	const size, tokens, rate = 20 << 10, 5000, 100
	c, err := b.chatBench(ctx)
	if err != nil {
		return err
	}
	vault, err := b.sample("streamed")
	if err != nil {
		return err
	}
	s, err := b.stream(ctx, size, tokens, rate)
	if err != nil {
		return err
	}
	defer s.stop()
	f, err := c.watch(ctx, s.chat(b, vault), "-n", "1", "-idle", "2s", "-cpu", "10s", "-pre", question, "-busy", fmt.Sprintf("%ds", tokens/rate-2), "-keys", "Q")
	if err != nil {
		return err
	}
	sent, err := s.sent()
	if err != nil {
		return err
	}
	if sent < tokens*9/10 {
		return fmt.Errorf("only %d of %d tokens were streamed", sent, tokens)
	}
	b.report(row{
		name: "CPU while 20 KB stream at 100 tokens a second", ours: f.BusyCPU - f.IdleCPU, anchor: 3, unit: "%", versus: "3 % of a core", target: 1,
		note: fmt.Sprintf("the program and its network; idle before: %.2f %%", f.IdleCPU),
	})
	return nil
}
