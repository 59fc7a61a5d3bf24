package text

import (
	"errors"
	"fmt"
	"strings"
)

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
