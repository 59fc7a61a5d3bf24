// Package output is what commands print to: a terminal, or a file, a pipe, another program.
//
// It promises: what a person at a terminal reads is text. Whatever is written, in whatever pieces,
// comes out as terminal.Text would have it, but for the styles that Set sets: no escape sequence
// that came with a name, a note, an argument or an answer is among it, not even a colour. What is no
// terminal gets every byte as it is.
package output

import (
	"crypto/rand"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"chatvault/internal/terminal"
)

// A Writer is one end that is printed to. Its methods may be called from several goroutines. A nil
// Writer is no terminal, and drops what is written.
type Writer struct {
	to       io.Writer
	terminal bool

	mu   sync.Mutex
	text terminal.Sanitizer
}

// New makes a Writer that writes to an end; terminal says whether a person reads there.
func New(to io.Writer, terminal bool) *Writer { return &Writer{to: to, terminal: terminal} }

// Stdout is the process's own standard output.
func Stdout() *Writer { return New(os.Stdout, term.IsTerminal(int(os.Stdout.Fd()))) }

// Stderr is the process's own standard error.
func Stderr() *Writer { return New(os.Stderr, term.IsTerminal(int(os.Stderr.Fd()))) }

// IsTerminal says whether a person reads what is written.
func (w *Writer) IsTerminal() bool { return w != nil && w.terminal }

// defaultWidth is that of a terminal that does not tell.
const defaultWidth = 80

// Width is that of the terminal, in cells.
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

// Write writes what a person may be reading: to a terminal as text, elsewhere as it is. Of text that
// may end within a character the rest is waited for.
func (w *Writer) Write(p []byte) (int, error) {
	if w == nil {
		return len(p), nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.terminal {
		return w.to.Write(p)
	}
	if _, err := io.WriteString(w.to, w.safe(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what was held back for the rest of it to come.
func (w *Writer) Flush() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.text.Flush()
	if rest == "" {
		return nil // whoever takes no more does not hold up the end
	}
	_, err := io.WriteString(w.to, rest)
	return err
}

// Unfiltered is the end itself, for what draws a screen, asks the terminal, or gives it something to copy:
// for sequences of the program's own alone.
func (w *Writer) Unfiltered() io.Writer {
	if w == nil {
		return io.Discard
	}
	return w.to
}

// A Style is how words are set off: the parameters of an SGR sequence, and those that end it.
type Style struct{ on, off string }

// The styles. They set no background and only colours that the terminal's user chose.
var (
	Bold   = Style{"1", "22"}
	Dim    = Style{"2", "22"}
	Marked = Style{"1;4", "22;24"} // what was searched for
	Green  = Style{"32", "39"}
	Red    = Style{"31", "39"}
	Cyan   = Style{"36", "39"}
)

// mark begins what stands for a style in a text until a Writer writes it. It cannot be guessed, so
// that no text sets a style by itself; measured as a terminal would, it has no width.
var mark = "\x1b]" + rand.Text() + ";"

const markEnd = "\x1b\\"

// Set sets text off, for a Writer to a terminal.
func (s Style) Set(text string) string {
	return mark + s.on + markEnd + text + mark + s.off + markEnd
}

// maxParameters bounds the parameters of a style, in bytes.
const maxParameters = 16

// safe is text as it goes to a terminal, with the styles that Set has set.
func (w *Writer) safe(text string) string {
	before, rest, styled := strings.Cut(text, mark)
	if !styled {
		return w.text.Write(text)
	}
	var out strings.Builder
	out.WriteString(w.text.Write(before))
	for styled {
		params, after, whole := strings.Cut(rest, markEnd)
		if whole && len(params) <= maxParameters && strings.Trim(params, "0123456789;") == "" {
			out.WriteString("\x1b[" + params + "m")
			rest = after
		} // else somebody cut it: it is text
		before, rest, styled = strings.Cut(rest, mark)
		out.WriteString(w.text.Write(before))
	}
	return out.String()
}

// Text is text as it is printed, for what is laid out before: by its lines and their width.
func (w *Writer) Text(text string) string {
	if w.IsTerminal() {
		return terminal.Text(text)
	}
	return text
}

// Hang begins each further line of a text with spaces, and breaks those that are too long for width.
func Hang(text, spaces string, width int) string {
	text = strings.TrimSpace(text)
	if room := width - len(spaces) - 1; width > 0 && room > 0 {
		const fixed = "\u2011" // what is typed is not broken at its hyphens
		text = strings.ReplaceAll(ansi.Wrap(strings.ReplaceAll(text, "-", fixed), room, "/"), fixed, "-")
	}
	return strings.ReplaceAll(text, "\n", "\n"+spaces)
}
