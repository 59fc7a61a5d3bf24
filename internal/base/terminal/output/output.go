// Package output provides the writers that commands print to: a terminal, a file, a pipe or another program.
//
// A Writer to a terminal emits only text, as terminal.Text would return it, however the input is split: no escape
// sequence from a name, a note, an argument or an answer gets through, not even a colour. Other destinations get every
// byte unchanged.
package output

import (
	"io"
	"os"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"chatvault/internal/base/terminal"
)

// A Writer is an output stream. It is safe for concurrent use. A nil Writer is not a terminal and discards its input.
type Writer struct {
	to       io.Writer
	terminal bool

	mu   sync.Mutex
	text terminal.Sanitizer
}

// New returns a Writer to the given stream; terminal reports whether it is a terminal.
func New(to io.Writer, terminal bool) *Writer { return &Writer{to: to, terminal: terminal} }

// Stdout returns a Writer to standard output.
func Stdout() *Writer { return New(os.Stdout, term.IsTerminal(int(os.Stdout.Fd()))) }

// Stderr returns a Writer to standard error.
func Stderr() *Writer { return New(os.Stderr, term.IsTerminal(int(os.Stderr.Fd()))) }

// IsTerminal reports whether the output goes to a terminal.
func (w *Writer) IsTerminal() bool { return w != nil && w.terminal }

// defaultWidth is used if the terminal does not report its width.
const defaultWidth = 80

// Width returns the terminal's width in cells.
func (w *Writer) Width() int {
	if w != nil {
		if f, ok := w.to.(*os.File); ok {
			if cells, _, err := term.GetSize(int(f.Fd())); err == nil && cells > 0 {
				return cells
			}
		}
	}
	return defaultWidth
}

// Write sanitizes p for a terminal and writes it unchanged elsewhere. An incomplete character at the end is buffered.
func (w *Writer) Write(p []byte) (int, error) {
	if w == nil {
		return len(p), nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.terminal {
		return w.to.Write(p)
	}
	if _, err := io.WriteString(w.to, w.text.Write(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes the buffered rest.
func (w *Writer) Flush() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.text.Flush()
	if rest == "" {
		return nil // a stream that fails must not delay the exit
	}
	_, err := io.WriteString(w.to, rest)
	return err
}

// Unfiltered returns the underlying stream. It is only for the program's own sequences: drawing a screen, querying
// the terminal, setting the clipboard.
func (w *Writer) Unfiltered() io.Writer {
	if w == nil {
		return io.Discard
	}
	return w.to
}

// Text returns text as it will be printed, for callers that measure or break lines first.
func (w *Writer) Text(text string) string {
	if w.IsTerminal() {
		return terminal.Text(text)
	}
	return text
}

// Hang indents the continuation lines of a text by spaces and breaks lines that are too long for width.
func Hang(text, spaces string, width int) string {
	text = strings.TrimSpace(text)
	if room := width - len(spaces) - 1; width > 0 && room > 0 {
		const fixed = "\u2011" // commands are not broken at hyphens
		text = strings.ReplaceAll(ansi.Wrap(strings.ReplaceAll(text, "-", fixed), room, "/"), fixed, "-")
	}
	return strings.ReplaceAll(text, "\n", "\n"+spaces)
}
