package vault

import (
	"bytes"
	"cmp"
	"unicode/utf8"

	"chatvault/internal/base/text"
)

// LineRange selects lines Start to End, 1-based and inclusive; 0 means the first or the last line. It is limited to
// MaxLines lines and MaxBytes bytes of text; 0 means no limit. A line longer than MaxLineBytes is cut.
type LineRange struct {
	Start, End   int
	MaxLines     int
	MaxBytes     int
	MaxLineBytes int
}

// Lines are the lines of a range.
type Lines struct {
	Start     int      // number of the first line in Text
	Text      []string // without line endings
	Cut       []int    // for each line, the number of bytes cut off
	Total     int      // number of lines in the file
	Truncated bool     // a limit was reached before End
}

// LinesOf returns lines of a text. A byte order mark is not part of them, nor are the line endings, "\n" or "\r\n".
func LinesOf(data []byte, r LineRange) Lines {
	l := Lines{Start: max(r.Start, 1)}
	maxBytes := cmp.Or(r.MaxBytes, MaxRead)
	maxLine := min(cmp.Or(r.MaxLineBytes, maxBytes), maxBytes)
	used := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, bomUTF8)) {
		l.Total++
		if l.Total < l.Start || r.End > 0 && l.Total > r.End || l.Truncated {
			continue
		}
		if bare, ended := bytes.CutSuffix(line, []byte("\n")); ended {
			line = bytes.TrimSuffix(bare, []byte("\r"))
		}
		shown := text.Head(string(line[:min(len(line), maxLine+utf8.UTFMax)]), maxLine)
		used += len(shown) + 1 // including its newline
		if r.MaxLines > 0 && len(l.Text) == r.MaxLines || len(l.Text) > 0 && used > maxBytes {
			l.Truncated = true
			continue
		}
		l.Text, l.Cut = append(l.Text, shown), append(l.Cut, len(line)-len(shown))
	}
	return l
}
