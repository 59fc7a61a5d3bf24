package text

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Blank reports whether s is empty or white space. Some models answer with only a line break, which some providers
// reject in the history.
func Blank(s string) bool { return strings.TrimSpace(s) == "" }

// MiddleOut returns s shortened to about n characters by replacing its middle with a note.
func MiddleOut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n/2]) + fmt.Sprintf("\n[… %d characters left out …]\n", len(r)-n) + string(r[len(r)-n/2:])
}

// QuoteMark is the prefix of quoted lines.
const QuoteMark = "> "

// Quoted returns s with each line quoted.
func Quoted(s string) string {
	return QuoteMark + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n"+QuoteMark)
}

// Printable returns s on one line, without control and format characters.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || r == unicode.ReplacementChar:
			return -1
		case unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c':
			return -1
		}
		return r
	}, s)
}

// Marks removes inline Markdown markup.
var Marks = strings.NewReplacer("**", "", "__", "", "`", "")

// Unmarked returns a line without Markdown markup.
func Unmarked(line string) string {
	line = strings.TrimLeft(Marks.Replace(strings.TrimSpace(line)), "#>*•-\"' \t")
	return strings.TrimRight(line, "*\"' \t")
}

// ShellWords splits a command line into words, with a shell's rules for blanks, quotation marks and backslashes only.
// The error names what is not closed.
func ShellWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	in, quote, escaped := false, rune(0), false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			in, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			in, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		default:
			in = true
			word.WriteRune(r)
		}
	}
	if in {
		words = append(words, word.String())
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the quotation mark %c is not closed", quote)
	case escaped:
		return nil, errors.New("it ends with a backslash")
	}
	return words, nil
}
