package config

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// setText gives a key at the top level of a TOML file a text as its value and leaves every other
// byte as it is: the lines around it, their order, comments, line ends. A key that is there keeps
// its place, also when it is written in quotes; a new one goes before the first table, where it
// still is at the top level. The file must be valid before, and is parsed again afterwards: it
// says what it said, and the key.
func setText(file, key, text string) (string, error) {
	before, err := decodeTree(file)
	if err != nil {
		return "", err
	}
	eol := lineEnd(file)
	value := quoteText(text, eol)
	out := place(file, key, value, eol)
	after, err := decodeTree(out)
	if err != nil {
		return "", err
	}
	if got, ok := after[key].(string); !ok || strings.ReplaceAll(got, "\r\n", "\n") != wholeText(text) {
		return "", fmt.Errorf("%s cannot be set in it without changing more; set it by hand", key)
	}
	delete(before, key)
	delete(after, key)
	if !reflect.DeepEqual(before, after) {
		return "", fmt.Errorf("%s cannot be set in it without changing more; set it by hand", key)
	}
	return out, nil
}

func decodeTree(file string) (map[string]any, error) {
	tree := map[string]any{}
	if _, err := toml.Decode(file, &tree); err != nil {
		return nil, err
	}
	return tree, nil
}

// place puts the value where the key stands, or the key where it belongs.
func place(file, key, value, eol string) string {
	top := topLevel(file)
	for _, a := range top.assignments {
		if a.key == key {
			return file[:a.from] + value + file[a.to:]
		}
	}
	at := top.room
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
