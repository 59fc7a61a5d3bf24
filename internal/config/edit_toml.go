package config

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

func decodeTree(file string) (map[string]any, error) {
	tree := map[string]any{}
	if _, err := toml.Decode(file, &tree); err != nil {
		return nil, err
	}
	return tree, nil
}

// place puts a key that is new at the top level of a file where it belongs.
func place(file string, parts []stretch, key, value, eol string) string {
	at := parts[0].room
	switch {
	case len(parts[0].keys) > 0:
	case len(parts) > 1: // above the comment that belongs to the table
		at = min(parts[0].apart, parts[0].end)
	default:
		at = len(file)
	}
	line := key + " = " + value + eol
	head, tail := file[:at], file[at:]
	if head != "" && !strings.HasSuffix(head, "\n") && head != bom {
		line = eol + line
	}
	if strings.TrimSpace(strings.TrimPrefix(head, bom)) != "" && !strings.HasSuffix(head, "\n"+eol) {
		line = eol + line // stand apart from what is above
	}
	if tail != "" && !strings.HasPrefix(tail, "\n") && !strings.HasPrefix(tail, "\r\n") {
		line += eol
	}
	return head + line + tail
}

// lineEnd is how the lines of a file end, which the first of them shows.
func lineEnd(file string) string {
	if i := strings.IndexByte(file, '\n'); i > 0 && file[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// wholeText is a text as it is kept in a file: its lines, the last one ended.
func wholeText(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Trim(text, "\n") + "\n"
}

// quoteText writes a text as a TOML string of several lines, in the way people write them.
func quoteText(text, eol string) string {
	const quotes = `"""`
	var b strings.Builder
	b.WriteString(quotes)
	b.WriteString(eol)
	run := 0 // quotes before
	for _, r := range wholeText(text) {
		if r != '"' {
			run = 0
		}
		switch {
		case r == '"' && run == 2: // three would end the text
			b.WriteString(`\"`)
			run = 0
		case r == '"':
			b.WriteByte('"')
			run++
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteString(eol)
		case r == '\t', r >= ' ' && r != 0x7f:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteString(quotes)
	return b.String()
}

// checkText says why a text cannot become a value.
func checkText(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("the text is empty")
	case !utf8.ValidString(text):
		return fmt.Errorf("the text is not valid UTF-8")
	case len(wholeText(text)) > maxText:
		return fmt.Errorf("the text is longer than %d bytes", maxText)
	}
	return nil
}
