package clipboard

import (
	"strings"
	"unicode"
)

// lineEnds are what ends a line elsewhere.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n")

// plain is what of a text is copied: a terminal that it is pasted into would obey control
// characters, and one of them would end a bracketed paste. None is left but tabs and line feeds;
// nor is a byte that is no UTF-8, which some terminals take for one. All else stays as it is.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, lineEnds.Replace(text))
}
