package tty

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Bubble Tea reads 256 bytes at a time and goes through all of a paste again with each, which for
// four megabytes takes half a minute. A long paste is therefore kept aside, and what Bubble Tea
// reads in its place is a short one that names it: Whole gives the text back. It stays where it is
// in the order of the keys.
const (
	asideFrom = 16 << 10 // bytes of a paste from which on it is kept aside
	maxPaste  = 64 << 20 // bytes of a paste; what comes after them is dropped. The composer takes far less
	pieceSize = 4096     // bytes of a short paste in one token

	asideMark = "\x00aside " // what the name of a paste begins with
)

// gather takes pasted bytes up to the mark of the end, of which no part is taken before it is
// known to be none of it.
func (d *decoder) gather(final bool) int {
	n := bytes.Index(d.held, pasteEnd)
	if n == 0 {
		d.pasting = false
		d.handOver()
		return len(pasteEnd)
	}
	if n < 0 {
		n = len(d.held)
		if !final {
			for k := min(n, len(pasteEnd)-1); k > 0; k-- {
				if bytes.HasPrefix(pasteEnd, d.held[n-k:]) {
					n -= k
					break
				}
			}
		}
	}
	d.paste.Write(d.held[:min(n, max(maxPaste-d.paste.Len(), 0))])
	return n
}

// handOver makes tokens of the paste that has ended. One that looks like the name of another is
// kept aside as well, so that no text can pass for a name.
func (d *decoder) handOver() {
	text := d.paste.Bytes()
	if len(text) >= asideFrom || bytes.Contains(text, []byte(asideMark)) {
		d.tokens = append(d.tokens, token{aside: string(text)})
	} else {
		d.tokens = append(d.tokens, token{bytes: pasteStart})
		for len(text) > 0 {
			n := min(len(text), pieceSize)
			d.tokens = append(d.tokens, token{bytes: bytes.Clone(text[:n])})
			text = text[n:]
		}
		d.tokens = append(d.tokens, token{bytes: pasteEnd})
	}
	d.paste = bytes.Buffer{}
}

// endPaste ends a paste whose end never came.
func (d *decoder) endPaste() {
	d.decode(true)
	d.handOver()
	d.pasting = false
}

// name keeps a paste aside and gives what stands for it among the keys.
func (in *Input) name(text string) []byte {
	in.named++
	if in.aside == nil {
		in.aside = map[string]string{}
	}
	name := asideMark + strconv.Itoa(in.named)
	in.aside[name] = text
	return []byte(string(pasteStart) + name + string(pasteEnd))
}

// Whole is the paste that stands aside where pasted, the text of a paste that was read, is the name
// of one: once, and then it is forgotten. Not ok: pasted is what was pasted.
func (in *Input) Whole(pasted string) (text string, ok bool) {
	if !strings.HasPrefix(pasted, asideMark) {
		return "", false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	text, ok = in.aside[pasted]
	delete(in.aside, pasted)
	return text, ok
}

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
