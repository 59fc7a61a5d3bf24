package tty

import (
	"bytes"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"chatvault/internal/lazyregexp"
)

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// words are two or more of a line in one read: people do not type so, programs for dictation do. They are text
// wherever a letter of its own means something. What begins a command or a completion is none.
var words = lazyregexp.New(`^(\pL+ \pL[^[:cntrl:]/@#\[]*)\r?$`)

// burstWait is how long after a burst of lines another read still belongs to it.
const burstWait = 50 * time.Millisecond

// input is standard input, with the marks of a paste around bursts of lines that have none.
//
// Terminals without bracketed paste, and programs that type into one, send what is pasted as if it
// were typed: every line end in it would be an Enter.
type input struct {
	*os.File
	terminal *Terminal

	held   []byte    // a character that has not come whole
	marked []byte    // the end of what was read last, as far as it may be a part of a mark
	pasted bool      // between the terminal's own marks
	burst  time.Time // when the last burst came
}

// Read implements io.Reader. A read that fails for good closes Gone.
func (in *input) Read(p []byte) (int, error) {
	room := len(pasteStart) + len(pasteEnd) + utf8.UTFMax
	if len(p) < 2*room {
		return in.File.Read(p)
	}
	n, err := in.File.Read(p[:(len(p)-room)/len(escape)]) // marks and keys written longer fit
	if n == 0 {
		in.terminal.lost.Do(func() { close(in.terminal.gone) })
		return n, err
	}
	if n == 1 && p[0] == twice[0] && !in.pasted {
		if !more(in.File, escWait) { // the key alone
			return copy(p, escape), err
		}
		rest, _ := in.File.Read(p[1 : (len(p)-room)/len(escape)])
		n += max(rest, 0)
	}
	return copy(p, in.mark(p[:n], time.Now())), err
}

// escWait is how long the rest of a key that began with Esc may take. Bubble Tea waits as long, but takes Esc with
// whatever comes meanwhile for Alt.
const escWait = 50 * time.Millisecond

// mark puts the marks of a paste around a read that needs them.
func (in *input) mark(read []byte, now time.Time) []byte {
	read = append(in.held, read...)
	in.held = nil
	if in.within(read) {
		return read
	}
	if read, in.held = whole(read); in.isBurst(read, now) {
		return bytes.Join([][]byte{pasteStart, read, pasteEnd}, nil)
	}
	if said := words().FindSubmatch(read); said != nil {
		return slices.Concat(pasteStart, said[1], pasteEnd, read[len(said[1]):])
	}
	for bytes.Contains(read, twice) {
		read = bytes.ReplaceAll(read, twice, slices.Concat(escape, twice[:1]))
	}
	return read
}

// Esc as kitty's protocol writes it, and Esc with the beginning of another key right behind it, which
// would be read as Alt with that key.
var (
	escape = []byte("\x1b[27u")
	twice  = []byte("\x1b\x1b")
)

// within reports whether a read belongs to a paste that the terminal marks.
func (in *input) within(read []byte) bool {
	was := in.pasted
	seen := slices.Concat(in.marked, read)
	if i, j := bytes.LastIndex(seen, pasteStart), bytes.LastIndex(seen, pasteEnd); i != j {
		in.pasted = i > j
	}
	in.marked = bytes.Clone(seen[max(len(seen)-len(pasteEnd)+1, 0):])
	return was || in.pasted
}

// whole cuts a character off that has not come whole.
func whole(read []byte) (text, rest []byte) {
	for i := 1; i < utf8.UTFMax && i <= len(read); i++ {
		if at := len(read) - i; utf8.RuneStart(read[at]) {
			if !utf8.FullRune(read[at:]) {
				return read[:at], read[at:]
			}
			break
		}
	}
	return read, nil
}

// isBurst reports whether a read is text of several lines, or text that follows such a read at once.
// People do not type two lines within one read.
func (in *input) isBurst(read []byte, now time.Time) bool {
	if len(read) == 0 || !utf8.Valid(read) || bytes.ContainsFunc(read, func(r rune) bool {
		return r < 0x20 && r != '\r' && r != '\n' && r != '\t' || r == 0x7f
	}) {
		return false
	}
	several := bytes.ContainsAny(bytes.Trim(read, "\r\n"), "\r\n")
	if !several && (in.burst.IsZero() || now.Sub(in.burst) >= burstWait) {
		return false
	}
	in.burst = now
	return true
}
