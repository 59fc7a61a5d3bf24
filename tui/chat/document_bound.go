package chat

import (
	"fmt"
	"unicode/utf8"

	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// maxDrawn bounds how much of one text is drawn, in bytes: some ten thousand lines. The rest is there to
// be copied, looked through and written to a file.
const maxDrawn = 1 << 20

// shown is the part of the text that is drawn: its beginning, of whole characters.
func (d *document) shown() []byte {
	if len(d.source) <= maxDrawn {
		return d.source
	}
	end := maxDrawn
	for end > maxDrawn-utf8.UTFMax && !utf8.RuneStart(d.source[end]) {
		end--
	}
	return d.source[:end]
}

// notShown is how much of the text is not drawn, in tenths of a megabyte, rounded up.
func (d *document) notShown() int {
	const tenth = 100_000
	return (len(d.source) - len(d.shown()) + tenth - 1) / tenth
}

// rest are the lines that say how much of the text is not drawn, and how to get it; none where all is.
func (d *document) rest(width int, margin string) []string {
	if d.told = d.notShown(); d.told == 0 {
		return nil
	}
	text := fmt.Sprintf("… %.1f MB more. ↑ and y copy the whole text, /export writes it to a file.", float64(d.told)/10)
	lines := markdown.Wrap(text, theme.Open(d.env.Styles.Muted), width)
	for i, l := range lines {
		lines[i] = margin + l
	}
	return append([]string{""}, lines...)
}
