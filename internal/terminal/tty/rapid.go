package tty

import (
	"bytes"
	"time"
	"unicode/utf8"
)

// Terminals without bracketed paste, and programs that type into one, send what is pasted as if it
// were typed: every line end in it would be an Enter. Nobody types so many lines so quickly that
// they arrive in one read, unless nothing was read for many seconds.
const (
	rapidLines = 3   // line ends in one read, from which on it is a paste
	rapidBytes = 100 // and so long is it
	rapidWait  = 50 * time.Millisecond
)

// unmarked says whether a read is a paste that nothing marks as one, as far as n bytes of it: what
// follows is a character that has not come whole. going: one came right before.
func unmarked(b []byte, going bool) (n int, ok bool) {
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size <= 1 {
			if utf8.FullRune(b[n:]) {
				return 0, false
			}
			break
		}
		if r < 0x20 && r != '\r' && r != '\n' && r != '\t' || r == 0x7f {
			return 0, false
		}
		n += size
	}
	ends := bytes.Count(b[:n], []byte{'\r'}) + bytes.Count(b[:n], []byte{'\n'}) - bytes.Count(b[:n], []byte("\r\n"))
	return n, ends >= rapidLines && n >= rapidBytes || going && ends > 0
}

// marked is a read with the marks of a paste around it where it is one that nothing marks.
func (d *decoder) marked(b []byte, now time.Time) []byte {
	if d.pasting || len(d.held) > 0 && d.held[0] == 0x1b {
		return b
	}
	all := append(bytes.Clone(d.held), b...) // what is held is a character that had not come whole
	n, ok := unmarked(all, !d.rapidAt.IsZero() && now.Sub(d.rapidAt) < rapidWait)
	if !ok {
		return b
	}
	d.rapidAt, d.held = now, nil
	return bytes.Join([][]byte{pasteStart, all[:n], pasteEnd, all[n:]}, nil)
}
