package tty

import (
	"bytes"
	"strconv"
)

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
