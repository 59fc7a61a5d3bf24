package clipboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"unicode/utf16"
)

// errOther says that the clipboard holds another text than it was given.
var errOther = errors.New("the clipboard holds something else")

// run gives a program the text, and has the clipboard read back where that is cheap.
func (c *Clipboard) run(ctx context.Context, p program, text string) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(max(c.Wait, 0), commandWait))
	defer cancel()
	input := []byte(text)
	if p.utf16 {
		input = inUTF16(text)
	}
	cmd := command(ctx, p.args)
	cmd.Stdin = bytes.NewReader(input)
	if err := cmd.Run(); err != nil {
		return failed(ctx, p.name, err)
	}
	if p.back == nil {
		return nil
	}
	out := &bounded{left: len(text) + 1}
	cmd = command(ctx, p.back)
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		return failed(ctx, p.name, err)
	}
	if !same(out.b.String(), text) {
		return fmt.Errorf("%s: %w", p.name, errOther)
	}
	return nil
}

func failed(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", name, context.Cause(ctx))
	}
	return fmt.Errorf("%s: %w", name, err)
}

// command is a program with no part in the terminal: in a session of its own, so that one that
// stays to serve the clipboard outlives the chat, and with nothing of ours to hold open. It is ended
// with all that it started when ctx ends.
func command(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	apart(cmd)
	cmd.WaitDelay = commandWait / 4
	return cmd
}

// same compares as clipboards keep a text: some end it with a line end of their own, or write line
// ends in their own way.
func same(got, text string) bool {
	plain := func(s string) string { return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n") }
	return got == text || plain(got) == plain(text)
}

// bounded takes so many bytes, and drops the others.
type bounded struct {
	b    strings.Builder
	left int
}

func (w *bounded) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.b.Write(p[:n])
	w.left -= n
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// inUTF16 is a text as clip.exe takes it whatever the code page is.
func inUTF16(text string) []byte {
	units := utf16.Encode([]rune(text))
	out := make([]byte, 0, 2*len(units))
	for _, u := range units {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}
