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

// transcript is the number of messages in the conversation above a streamed answer.
const transcript = 10_000

// Keys that bench/firstframe sends before it measures: they draw the whole transcript, then ask a question.
const (
	toBeginning = `\x1b[1;5H` // Ctrl+Home
	toEnd       = `\x1b[1;5F` // Ctrl+End
	question    = `tell me\r`
)

// answerPart is repeated to form an answer. It contains none of the letters in keysTyped.
const answerPart = "## Part %d\n\nThe note about plums says that the tree bears fruit in **August**, see [[Plum]] and `plum` for more of it, " +
	"with enough words here to run over the end of a line once or more.\n\n- first, a point about the tart\n- and one about the garden\n\n" +
	"> A passage that is told again.\n\n"

// streamServer is a running bench/ssebench server.
type streamServer struct {
	cmd *exec.Cmd
	url string
}

// startStream starts a server whose answers have the given numbers of bytes and tokens. rate is in tokens per
// second.
func (b *bench) startStream(ctx context.Context, bytes, tokens, rate int) (*streamServer, error) {
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
	s := &streamServer{url: "http://" + addr}
	s.cmd = exec.CommandContext(ctx, binary, "-addr", addr, "-script", script, "-tokens", fmt.Sprint(tokens), "-rate", fmt.Sprint(rate))
	s.cmd.Env = b.env
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		if _, err = s.chunksSent(); err == nil {
			return s, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("bench/ssebench does not answer: %w", err)
}

func (s *streamServer) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // fails, because the server was killed
}

// chunksSent returns the number of chunks sent so far.
func (s *streamServer) chunksSent() (int, error) {
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

// chat returns the chat on a vault with this server as its provider.
func (s *streamServer) chat(b *bench, vault string) screen {
	return screen{
		ready: placeholder, args: []string{b.binary, "--vault", vault},
		env: []string{"OPENAI_BASE_URL=" + s.url + "/v1", "OPENAI_API_KEY=none", "CHATVAULT_MODEL=bench"},
	}
}

// streamingEcho times key echo, and the reaction to Esc, while an answer streams at 1,000 tokens per second
// below a transcript of 10,000 messages that has been drawn completely.
func (c chatBench) streamingEcho(ctx context.Context) error {
	const tokens, rate, rounds = 10_000, 1000, 3
	long, err := c.longVault(ctx)
	if err != nil {
		return err
	}
	s, err := c.startStream(ctx, 4*tokens, tokens, rate)
	if err != nil {
		return err
	}
	defer s.stop()
	var ours, floor screenFigures
	for i := range rounds {
		vault := fmt.Sprintf("%s-%d", long, i) // a new copy, because the chat offers to resume an interrupted turn
		if err := errors.Join(os.RemoveAll(vault), os.CopyFS(vault, os.DirFS(long))); err != nil {
			return err
		}
		before, err := s.chunksSent()
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
		after, err := s.chunksSent()
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

// longVault returns a copy of the sample vault with a conversation of transcript messages.
func (b *bench) longVault(ctx context.Context) (string, error) {
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

// measureStreaming measures the CPU use while an answer of 20 KB streams at 100 tokens per second, minus the
// idle CPU use of the same process.
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
	s, err := b.startStream(ctx, size, tokens, rate)
	if err != nil {
		return err
	}
	defer s.stop()
	f, err := c.watch(ctx, s.chat(b, vault), "-n", "1", "-idle", "2s", "-cpu", "10s", "-pre", question, "-busy", fmt.Sprintf("%ds", tokens/rate-2), "-keys", "Q")
	if err != nil {
		return err
	}
	sent, err := s.chunksSent()
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
