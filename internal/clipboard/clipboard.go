// Package clipboard puts a text into the clipboard of whoever sits at the terminal. It promises that
// it says of a text that it was copied only where that is known: a program of the system's took it,
// or tmux did. A terminal that is asked by OSC 52 does not say whether it obeyed; it is not asked to
// read its clipboard back either, since some terminals ask the user about that and others send what
// is secret. Where nothing is known to have worked the text is kept in a file as well, which the
// result names. The text goes to the programs on their standard input, never through a shell or an
// argument, and nowhere else.
//
// Whoever copies, what is copied holds no control character but tabs and line feeds: a terminal
// that it is pasted into has nothing to obey.
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
	"time"
	"unicode"
	"unicode/utf16"
)

// The values of the setting.
const (
	Auto   = "auto"
	Native = "native" // a program of the system's alone
	OSC52  = "osc52"  // the terminal alone
	File   = "file"   // the file alone
)

// commandWait is how long one program may take. Nothing else waits for it meanwhile.
const commandWait = 5 * time.Second

// ErrEmpty says that there is no text to copy.
var ErrEmpty = errors.New("there is nothing to copy")

// Result is what became of a text.
type Result struct {
	// By names what is known to have taken the text: "wl-copy", "tmux". Empty: nothing is.
	By string
	// Sent says that it was sent to the terminal by OSC 52, which does not answer.
	Sent bool
	// TooLong says that it was not sent for its length.
	TooLong bool
	// File is the full name of the file that holds the text; empty where By is not, or with an error.
	File string
}

// Clipboard copies.
type Clipboard struct {
	Setting string // one of those above; empty is Auto
	GOOS    string // the system, as runtime.GOOS has it
	Getenv  func(string) string
	// Find gives the full name of a program; "" where it is not there.
	Find func(name string) string
	// Terminal writes to the terminal, in one piece, so that nothing stands between.
	Terminal func(sequence []byte) error
	// Keep writes the text into a file for the user alone and gives its full name.
	Keep func(text string) (file string, err error)

	// Wait is how long one program may take; 0: five seconds.
	Wait time.Duration
}

// Copy copies a text, without its control characters. An error says that it is nowhere.
func (c *Clipboard) Copy(ctx context.Context, text string) (Result, error) {
	if text = plain(text); text == "" {
		return Result{}, ErrEmpty
	}
	p := planFor(c.Setting, c.GOOS, c.Getenv, c.Find)
	var r Result
	var failed error
	for _, prog := range p.programs {
		if r.By != "" && !prog.also {
			continue
		}
		if err := c.run(ctx, prog, text); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if r.By == "" {
			r.By = prog.name
		}
	}
	if r.By != "" {
		return r, nil
	}
	if p.terminal {
		switch sequence, fits := sequence(text, p.wrap); {
		case !fits:
			r.TooLong = true
		default:
			if err := c.Terminal(sequence); err != nil {
				failed = errors.Join(failed, err)
			} else {
				r.Sent = true
			}
		}
	}
	file, err := c.Keep(text)
	if err != nil {
		if r.Sent {
			return r, nil // it may well be there
		}
		return r, errors.Join(err, failed)
	}
	r.File = file
	return r, nil
}

// lineEnds are what ends a line elsewhere.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n")

// plain is what of a text is copied: a terminal that it is pasted into would obey control
// characters, and one of them would end a bracketed paste. None is left but tabs and line feeds;
// nor is a byte that is no UTF-8, which some terminals take for one. All else stays as it is.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, lineEnds.Replace(text))
}

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
