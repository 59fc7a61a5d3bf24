package tty

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"
)

const (
	// splitWait is how long the rest of a sequence is waited for. Terminals write
	// a sequence at once; what divides it is the network or a multiplexer. It is
	// also how late the Esc key itself is seen.
	splitWait = 25 * time.Millisecond
	// brokenWait is the same once so much of a sequence is there that no person
	// can have typed it.
	brokenWait = 500 * time.Millisecond
	// pasteStuck is after how long without a byte a paste that does not end gives
	// the keyboard back, to Esc or Ctrl+C.
	pasteStuck = time.Second

	maxSequence = 64      // bytes of a key's sequence
	maxReply    = 1 << 16 // bytes of a reply
	maxText     = 128     // bytes of typed text in one token
)

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// token is a piece of input that must reach Bubble Tea in one read. After a last
// token the read must end: an Esc is a key only there, and so is a focus report.
type token struct {
	bytes []byte
	last  bool
	aside string // a paste that is not handed over in pieces, instead of bytes
}

// reply is what the terminal answered to a query. None ever reaches the program.
type reply struct {
	kind string // "osc", "csi", "dcs" or "apc"
	body string // without introducer and terminator
}

// decoder divides what a terminal sends into tokens. Bytes keep their order, and
// none are lost but those of replies and of sequences that never end.
type decoder struct {
	held    []byte       // not decided yet
	alone   bool         // held is an Esc that came at the end of a read
	pasting bool         // between the marks of a bracketed paste
	pasted  time.Time    // when its last byte came
	paste   bytes.Buffer // what came of the paste that goes on
	rapidAt time.Time    // when the last of a paste came that nothing marked as one

	tokens  []token
	replies []reply
}

// feed takes what one read returned at the time now.
func (d *decoder) feed(b []byte, now time.Time) {
	if d.pasting && now.Sub(d.pasted) >= pasteStuck && len(b) == 1 && (b[0] == 0x1b || b[0] == 0x03) {
		d.endPaste()
	}
	if d.alone && len(b) > 0 && !continuesEscape(b[0]) {
		d.escape()
		d.held = d.held[1:]
	}
	d.held = append(d.held, d.marked(b, now)...)
	d.decode(false)
	if d.pasting {
		d.pasted = now
	}
	d.alone = len(d.held) == 1 && d.held[0] == 0x1b && !d.pasting
}

// wait is how long to wait for more before flush; 0 when nothing is held.
func (d *decoder) wait() time.Duration {
	switch n := len(d.held); {
	case n == 0, d.pasting: // a part of a mark says nothing before the rest is there
		return 0
	case n > 2 && d.held[0] == 0x1b:
		return brokenWait
	}
	return splitWait
}

// flush decides about what is held: nothing more came in time.
func (d *decoder) flush() {
	if !d.pasting {
		d.decode(true)
	}
	d.alone = false
}

// continuesEscape reports whether a byte that came after an Esc, in another
// read, belongs to it. A letter does not: Alt with a letter comes in one read,
// and Esc, with a letter right after it, must stay an Esc.
func continuesEscape(b byte) bool {
	return bytes.IndexByte([]byte("[O]P_\r\n"), b) >= 0
}

func (d *decoder) decode(final bool) {
	for len(d.held) > 0 {
		var n int
		switch {
		case d.pasting:
			n = d.gather(final)
		case d.held[0] == 0x1b:
			n = d.sequence(final)
		default:
			n = d.text(final)
		}
		if n == 0 {
			return
		}
		d.held = d.held[n:]
	}
	d.held = nil
}

func (d *decoder) emit(n int, last bool) int {
	d.tokens = append(d.tokens, token{bytes: bytes.Clone(d.held[:n]), last: last})
	return n
}

// escape emits an Esc as a key of its own.
func (d *decoder) escape() int {
	d.tokens = append(d.tokens, token{bytes: []byte{0x1b}, last: true})
	return 1
}

// text takes typed characters up to the next Esc.
func (d *decoder) text(final bool) int {
	n := 0
	for n < len(d.held) && n < maxText && d.held[n] != 0x1b {
		if d.held[n] < utf8.RuneSelf {
			n++
			continue
		}
		if !final && !utf8.FullRune(d.held[n:]) {
			break
		}
		_, size := utf8.DecodeRune(d.held[n:])
		n += size
	}
	if n == 0 {
		return 0
	}
	return d.emit(n, false)
}

// sequence takes what begins with an Esc. An Esc with a character that makes no
// sequence is two keys, the Esc and the character, but for the few that are
// typed with Alt: Enter and the motions of the shell's line editor.
func (d *decoder) sequence(final bool) int {
	if len(d.held) == 1 {
		if final {
			return d.escape()
		}
		return 0
	}
	switch c := d.held[1]; c {
	case '\r', '\n', 'b', 'f', 'd', 0x7f, '\b':
		return d.emit(2, false)
	case '[':
		return d.csi(final)
	case 'O':
		return d.ss3(final)
	case ']', 'P', '_':
		return d.reply(final)
	}
	return d.escape()
}

// ss3 takes the keys whose sequences begin with ESC O.
func (d *decoder) ss3(final bool) int {
	switch {
	case len(d.held) > 2 && (d.held[2] >= 'A' && d.held[2] <= 'D' || d.held[2] == 'F' || d.held[2] == 'H' || d.held[2] >= 'P' && d.held[2] <= 'S'):
		return d.emit(3, false)
	case len(d.held) > 2 || final:
		return d.escape()
	}
	return 0
}

// csi takes control sequences: keys, mouse, focus, marks of a paste, replies.
func (d *decoder) csi(final bool) int {
	b := d.held
	end := 2
	for end < len(b) && b[end] >= 0x20 && b[end] <= 0x3f && end < maxSequence {
		end++
	}
	switch {
	case end == len(b) && !final && end < maxSequence:
		return 0
	case end == 2 && (end == len(b) || b[end] < 0x40 || b[end] > 0x7e):
		return d.escape() // Esc and a typed bracket
	case end == len(b), b[end] < 0x40, b[end] > 0x7e:
		return end // begun and never ended
	}
	if end == 2 && (b[2] == '[' || b[2] == 'M') {
		return d.prefixed(final)
	}
	n := end + 1
	switch {
	case end == 2 && (b[2] == 'I' || b[2] == 'O'):
		return d.emit(n, true)
	case bytes.Equal(b[:n], pasteStart):
		d.pasting = true
		return n // it is handed over when it is whole
	case bytes.Equal(b[:n], pasteEnd):
		return n // of no paste
	case isReply(b[2:n]):
		d.replies = append(d.replies, reply{"csi", string(b[2:n])})
		return n
	}
	if key := modified(b[:n]); key != nil {
		d.tokens = append(d.tokens, token{bytes: key, last: len(key) == 1 && key[0] == 0x1b})
		return n
	}
	return d.emit(n, false)
}

// prefixed takes the two whose end is not the end: ESC [ [ and a letter, the
// function keys of the Linux console, and ESC [ M and three bytes, the mouse.
func (d *decoder) prefixed(final bool) int {
	n := 4
	if d.held[2] == 'M' {
		n = 6
	}
	if len(d.held) < n && !final {
		return 0
	}
	return d.emit(min(n, len(d.held)), false)
}

// isReply reports whether a control sequence, without its introducer, is what
// terminals answer to queries and no key sends: attributes (c), status (n),
// position (R), modes (y), window (t), parameters (x), keyboard flags (?u) and
// graphics (?S).
func isReply(body []byte) bool {
	private := body[0] == '?' || body[0] == '>' || body[0] == '='
	switch body[len(body)-1] {
	case 'c', 'n', 'y', 't', 'x':
		return len(body) > 1
	case 'u', 'S':
		return private
	case 'R':
		// F3 with a modifier looks like the position in the first line, columns 2 to 8.
		modified := len(body) == 4 && body[0] == '1' && body[1] == ';' && body[2] >= '2' && body[2] <= '8'
		return len(body) > 1 && !modified
	}
	return false
}

// reply takes the strings that only a terminal sends: OSC, DCS and APC.
func (d *decoder) reply(final bool) int {
	b := d.held
	kind, begins := "", false
	switch second := b[1]; {
	case len(b) == 2:
		if final {
			return d.escape()
		}
		return 0
	case second == ']':
		kind, begins = "osc", b[2] >= '0' && b[2] <= '9'
	case second == 'P':
		kind, begins = "dcs", bytes.IndexByte([]byte("0123456789>!$+|=?"), b[2]) >= 0
	case second == '_':
		kind, begins = "apc", b[2] == 'G'
	}
	if !begins {
		return d.escape()
	}
	for i := 2; i < len(b) && i < maxReply; i++ {
		switch {
		case b[i] == 0x07 && kind == "osc":
			d.replies = append(d.replies, reply{kind, string(b[2:i])})
			return i + 1
		case b[i] == 0x1b && i+1 == len(b) && !final:
			return 0
		case b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\':
			d.replies = append(d.replies, reply{kind, string(b[2:i])})
			return i + 2
		case b[i] == 0x1b, b[i] == 0x03: // broken off: a key follows
			return i
		}
	}
	if final || len(b) >= maxReply {
		return min(len(b), maxReply)
	}
	return 0
}

// Modifiers as terminals count them, less one.
const (
	withShift = 1 << iota
	withAlt
	withCtrl
)

// modified are the bytes of a key that a terminal sends with its modifiers told apart: ESC [ CODE ;
// MODIFIERS u, as kitty and iTerm2 do, or ESC [ 27 ; MODIFIERS ; CODE ~, as xterm and tmux do. Of
// the keys that write or edit text those are turned into what every terminal can send, so that
// none is swallowed: Enter with a modifier becomes Alt+Enter, Shift changes nothing about Space,
// Backspace and Esc. Nil: it is none of these.
func modified(sequence []byte) []byte {
	body, ok := bytes.CutPrefix(sequence, []byte("\x1b["))
	if !ok || len(body) < 2 {
		return nil
	}
	var code, modifiers []byte
	fields := bytes.Split(body[:len(body)-1], []byte(";"))
	switch last := body[len(body)-1]; {
	case last == 'u' && len(fields) == 2:
		code, modifiers = fields[0], fields[1]
	case last == '~' && len(fields) == 3 && string(fields[0]) == "27":
		code, modifiers = fields[2], fields[1]
	default:
		return nil
	}
	held, err := strconv.Atoi(string(modifiers))
	if held--; err != nil || held < 0 || held > withShift|withAlt|withCtrl {
		return nil
	}
	switch string(code) {
	case "13":
		if held == 0 {
			return []byte("\r")
		}
		return []byte("\x1b\r")
	case "9":
		if held == withShift {
			return []byte("\x1b[Z")
		}
	case "27":
		return []byte("\x1b")
	case "32":
		if held&^withShift == 0 {
			return []byte(" ")
		}
	case "127":
		switch {
		case held&withAlt != 0:
			return []byte("\x1b\x7f")
		case held&withCtrl == 0:
			return []byte("\x7f")
		}
	}
	return nil
}
