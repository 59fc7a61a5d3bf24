// Package clipboard copies text to the clipboard of the user at the terminal. A text counts as copied only if that is
// known: a system program or tmux accepted it. A terminal asked by OSC 52 does not confirm; it is not asked to read
// its clipboard back, since some terminals ask the user about that and others would send secrets. If no copy is
// confirmed, the text is also kept in a file, which the result names. Programs get the text on their standard input,
// never through a shell or an argument.
//
// Copied text contains no control characters except tabs and line feeds, so a terminal that it is pasted into has
// nothing to obey.
package clipboard

import (
	encoding "golang.org/x/text/encoding/unicode"

	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
	"unicode"
)

// The values of the setting.
const (
	Auto   = "auto"
	Native = "native" // only a system program
	OSC52  = "osc52"  // only the terminal
	File   = "file"   // only the file
)

// commandWait is the timeout of one program. Nothing else waits for it.
const commandWait = 5 * time.Second

// ErrEmpty is returned if there is no text to copy.
var ErrEmpty = errors.New("there is nothing to copy")

// Result is the result of copying a text.
type Result struct {
	// By names the program known to have taken the text: "wl-copy", "tmux". Empty if none.
	By string
	// Sent reports whether it was sent to the terminal by OSC 52, which does not confirm.
	Sent bool
	// TooLong reports whether it was too long to be sent.
	TooLong bool
	// File is the absolute path of the file with the text. It is empty if By is set, or with an error.
	File string
}

// Clipboard copies text.
type Clipboard struct {
	Setting string // one of the above; empty means Auto
	GOOS    string // the system, as in runtime.GOOS
	Getenv  func(string) string
	// Find returns the absolute path of a program, or "".
	Find func(name string) string
	// Terminal writes a sequence to the terminal in a single write.
	Terminal func(sequence []byte) error
	// Keep writes the text to a file that only the user can read, and returns its absolute path.
	Keep func(text string) (file string, err error)

	// Wait is the timeout of one program; zero means five seconds.
	Wait time.Duration
}

// Copy copies a text without its control characters. It returns an error if the text is nowhere.
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
			return r, nil // it was probably copied
		}
		return r, errors.Join(err, failed)
	}
	r.File = file
	return r, nil
}

// lineEnds normalizes line ends.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n")

// plain removes control characters except tabs and line feeds, which a terminal would obey on pasting; one of them
// would end a bracketed paste. It also removes invalid UTF-8, which some terminals take for control characters.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, lineEnds.Replace(text))
}

// run passes the text to a program.
func (c *Clipboard) run(ctx context.Context, p program, text string) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(max(c.Wait, 0), commandWait))
	defer cancel()
	if p.utf16 { // independent of the code page
		text, _ = encoding.UTF16(encoding.LittleEndian, encoding.IgnoreBOM).NewEncoder().String(text)
	}
	cmd := command(ctx, p.args)
	cmd.Stdin = strings.NewReader(text)
	if err := cmd.Run(); err != nil {
		return failed(ctx, p.name, err)
	}
	return nil
}

func failed(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", name, context.Cause(ctx))
	}
	return fmt.Errorf("%s: %w", name, err)
}

// command returns a program detached from the terminal: in its own session, so that one that stays to serve the
// clipboard outlives the chat, and without inherited files. It is killed with its children when ctx ends.
func command(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	detach(cmd)
	cmd.WaitDelay = commandWait / 4
	return cmd
}

// bounded keeps a limited number of bytes and drops the rest.
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
