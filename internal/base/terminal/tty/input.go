package tty

import (
	"bytes"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"chatvault/internal/base/lazyregexp"
)

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// words matches two or more words of a line in a single read, which dictation programs produce and typing does not.
// They are treated as a paste, even where single letters are commands. The start of a command or a completion does
// not match.
var words = lazyregexp.New(`^(\pL+ \pL[^[:cntrl:]/@#\[]*)\r?$`)

// burstWait is how long after a burst of lines another read still counts as part of it.
const burstWait = 50 * time.Millisecond

// input is standard input with paste marks added around unmarked bursts of lines.
//
// Terminals without bracketed paste, and programs that type into one, send pasted text as keystrokes: every line end
// in it would be an Enter.
type input struct {
	*os.File
	terminal *Terminal

	held   []byte    // an incomplete character
	marked []byte    // the end of the last read, which may be part of a mark
	pasted bool      // within the terminal's own marks
	burst  time.Time // time of the last burst
}

// Read implements io.Reader. A final failure closes Gone.
func (in *input) Read(p []byte) (int, error) {
	room := len(pasteStart) + len(pasteEnd) + utf8.UTFMax
	if len(p) < 2*room {
		return in.File.Read(p)
	}
	n, err := in.File.Read(p[:(len(p)-room)/len(escape)]) // leaves room for marks and longer key sequences
	if n == 0 {
		in.terminal.lost.Do(func() { close(in.terminal.gone) })
		return n, err
	}
	if n == 1 && p[0] == twice[0] && !in.pasted {
		if !more(in.File, escWait) { // Esc alone
			return copy(p, escape), err
		}
		rest, _ := in.File.Read(p[1 : (len(p)-room)/len(escape)])
		n += max(rest, 0)
	}
	return copy(p, in.mark(p[:n], time.Now())), err
}

// escWait is how long to wait for the rest of a key that begins with Esc. Bubble Tea waits as long, but combines Esc
// with any key in that time into Alt.
const escWait = 50 * time.Millisecond

// mark adds paste marks to a read if it needs them.
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

// Esc in kitty's protocol, and Esc followed at once by another sequence, which would be read as Alt with that key.
var (
	escape = []byte("\x1b[27u")
	twice  = []byte("\x1b\x1b")
)

// within reports whether a read belongs to a paste marked by the terminal.
func (in *input) within(read []byte) bool {
	was := in.pasted
	seen := slices.Concat(in.marked, read)
	if i, j := bytes.LastIndex(seen, pasteStart), bytes.LastIndex(seen, pasteEnd); i != j {
		in.pasted = i > j
	}
	in.marked = bytes.Clone(seen[max(len(seen)-len(pasteEnd)+1, 0):])
	return was || in.pasted
}

// whole splits off an incomplete character at the end.
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

// isBurst reports whether a read is text of several lines, or text that follows such a read within burstWait. People
// do not type two lines within one read.
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
