package text

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Blank says whether a text says nothing. Some models answer with a lone line break, and some
// providers refuse to see it again.
func Blank(s string) bool { return strings.TrimSpace(s) == "" }

// MiddleOut is a text of at most about n runes: where it is longer, its middle is left out.
func MiddleOut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n/2]) + fmt.Sprintf("\n[… %d characters left out …]\n", len(r)-n) + string(r[len(r)-n/2:])
}

// QuoteMark begins each line of what is quoted.
const QuoteMark = "> "

// Quoted is a text with each line marked as quoted.
func Quoted(s string) string {
	return QuoteMark + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n"+QuoteMark)
}

// Unquoted are lines as they were before they were quoted.
func Unquoted(lines []string) string {
	return strings.ReplaceAll("\n"+strings.Join(lines, "\n"), "\n"+QuoteMark, "\n")
}

// Printable is a text without control and format characters, on one line.
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

// CutFold cuts a prefix of letters off, without regard to case.
func CutFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// Marks removes the marks of Markdown that stand within a line.
var Marks = strings.NewReplacer("**", "", "__", "", "`", "")

// Unmarked is a line without the marks of Markdown.
func Unmarked(line string) string {
	line = strings.TrimLeft(Marks.Replace(strings.TrimSpace(line)), "#>*•-\"' \t")
	return strings.TrimRight(line, "*\"' \t")
}

// ShellWords divides a command line into its words, as a shell does with blanks, quotation marks
// and backslashes; nothing else of a shell is in it. The error says what is not closed.
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
