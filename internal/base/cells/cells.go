// Package cells measures and cuts text in terminal cells, by the widths that Bubble Tea draws with: the sum of the code
// points of a grapheme cluster (a family emoji, a Hindi syllable) until the terminal reports that it draws clusters
// (mode 2027). Escape sequences take no cells and are never cut. Its functions are safe for concurrent use.
package cells

import (
	"strings"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
)

var clusters atomic.Bool

// SetClusters sets whether the terminal draws grapheme clusters. Everything drawn before must be drawn again.
func SetClusters(on bool) { clusters.Store(on) }

// Method returns the present method. What is cached by width depends on it, too.
func Method() ansi.Method {
	if clusters.Load() {
		return ansi.GraphemeWidth
	}
	return ansi.WcWidth
}

// Width returns the width of a text without line breaks.
func Width(s string) int { return Method().StringWidth(s) }

// Most returns the largest width at which the terminal may draw a text. It differs from Width while nothing is known of
// the terminal: some draw an emoji such as ☑️ wider than its code points.
func Most(s string) int { return max(Width(s), ansi.StringWidth(s)) }

// Truncate returns the beginning of a text, at most width cells wide including tail, which is appended if text is cut.
func Truncate(s string, width int, tail string) string {
	if len(s) <= width || Width(s) <= width { // cells never outnumber bytes
		return s
	}
	s += strings.Repeat(" ", width+1) // ansi cuts nothing that would fit if clusters were drawn
	for n := width; n > 0; n-- {      // and makes a keycap such as 1️⃣ too wide, since it counts only the digit
		if cut := Method().Truncate(s, n, tail); Width(cut) <= width {
			return cut
		}
	}
	return ""
}

// TruncateLeft returns a text without its first n cells, or a few more rather than half a character, with prefix in
// their place.
func TruncateLeft(s string, n int, prefix string) string {
	for room := max(Width(s)-n, 0) + Width(prefix); ; n++ {
		if cut := Method().TruncateLeft(s, n, prefix); Width(cut) <= room {
			return cut
		}
	}
}

// Pad appends spaces to a text that is narrower than width.
func Pad(s string, width int) string { return s + strings.Repeat(" ", max(width-Width(s), 0)) }
