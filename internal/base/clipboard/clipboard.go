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
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	encoding "golang.org/x/text/encoding/unicode"
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
	// File is the absolute path of the file with the text. It is empty if By is set, or with an error.
	File string
}

// Clipboard copies text.
type Clipboard struct {
	GOOS   string // the system, as in runtime.GOOS
	Getenv func(string) string
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
	p := c.plan()
	var r Result
	var failed error
	for _, prog := range p.programs {
		if r.By != "" && !prog.also {
			continue
		}
		given := text
		if prog.utf16 { // independent of the code page
			given, _ = encoding.UTF16(encoding.LittleEndian, encoding.IgnoreBOM).NewEncoder().String(text)
		}
		if err := c.run(ctx, &prog, strings.NewReader(given), nil); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		r.By = cmp.Or(r.By, prog.args[0])
	}
	if r.By != "" {
		return r, nil
	}
	if sequence := sequence(text, p.wrap); p.terminal && len(sequence) > 0 {
		err := c.Terminal(sequence)
		r.Sent, failed = err == nil, errors.Join(failed, err)
	}
	var err error
	if r.File, err = c.Keep(text); err != nil && !r.Sent { // else it was probably copied
		return r, errors.Join(err, failed)
	}
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
