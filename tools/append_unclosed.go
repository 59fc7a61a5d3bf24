package tools

import (
	"fmt"

	"chatvault/vault/note"
)

// becomesPartOf says that text that is added becomes part of code, a comment or the like, which
// begins before it and which nothing closes; "" where it does not, as where the text closes it.
func becomesPartOf(f *textFile, splices []splice) string {
	open := note.Parse([]byte(f.view)).Unclosed
	if open.Line == 0 || note.Parse(f.content(splices)).Unclosed != open {
		return ""
	}
	return fmt.Sprintf("The %s that begins on line %d is not closed, so what was added is part of it; %s would close it.",
		unclosedKind(open), open.Line, closingText(open))
}

// noHeadingIn refuses a heading that is to be made where it would be part of such a block.
func noHeadingIn(open note.Unclosed, name string) error {
	kind := unclosedKind(open)
	article := "a"
	if kind[0] == 'H' {
		article = "an"
	}
	return sentence("%s ends in %s %s that is not closed (it begins on line %d), so a heading there would be none. Close it with edit_file first: %s where it is to end.",
		quote(name), article, kind, open.Line, closingText(open))
}

func unclosedKind(open note.Unclosed) string {
	switch open.Closing[0] {
	case '`', '~':
		return "code block"
	case '%', '-':
		return "comment"
	case '$':
		return "math block"
	}
	return "HTML block"
}

// closingText is what would close a block: of code, a line of its own.
func closingText(open note.Unclosed) string {
	if unclosedKind(open) == "code block" {
		return "a line " + quote(open.Closing)
	}
	return quote(open.Closing)
}
