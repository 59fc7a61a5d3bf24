package clipboard

import (
	"encoding/base64"

	"github.com/aymanbagabas/go-osc52/v2"
)

// maxSequence bounds what a terminal is sent, encoded, in bytes: more is cut or ignored by some.
// The oldest and lowest limit that is known of is that of hterm, which tmux once had, too.
const maxSequence = 100_000

// sequence asks a terminal to put the text into its clipboard; false where it is too long for that.
// tmux is asked both by itself and on behalf of the terminal: which of the two it heeds depends on
// how it is set up.
func sequence(text string, wrap wrapping) (seq []byte, fits bool) {
	if base64.StdEncoding.EncodedLen(len(text)) > maxSequence {
		return nil, false
	}
	s := osc52.New(text)
	switch wrap {
	case throughTmux:
		return []byte(s.String() + s.Tmux().String()), true
	case throughScreen:
		return []byte(s.Screen().String()), true
	}
	return []byte(s.String()), true
}
