package tty

import (
	"bytes"
	"os"
	"time"
	"unicode/utf8"
)

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

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
	n, err := in.File.Read(p[:len(p)-room])
	if n == 0 {
		in.terminal.lost.Do(func() { close(in.terminal.gone) })
		return n, err
	}
	return copy(p, in.mark(p[:n], time.Now())), err
}

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
	return read
}

// within reports whether a read belongs to a paste that the terminal marks.
func (in *input) within(read []byte) bool {
	was := in.pasted
	seen := append(in.marked, read...)
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
// Nobody types two lines within one read.
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
