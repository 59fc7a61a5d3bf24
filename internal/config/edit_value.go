package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// setLiteral gives a key, "theme" or "smarthole.url", a value that is written as literal, and
// leaves every other byte of the file as it is. A key that is there keeps its place. A new one goes
// where a comment shows it commented out, else after the last of its table, and where there is no
// such table one is begun at the end. The file must be valid before, and is parsed again
// afterwards: it says what it said, and the key.
func setLiteral(file, key, literal string) (string, error) {
	path := strings.Split(key, ".")
	return verified(file, key, putLiteral(file, path, literal), func(tree map[string]any) error {
		var want map[string]any
		if _, err := toml.Decode("x = "+literal, &want); err != nil {
			return err
		}
		return put(tree, path, want["x"])
	})
}

// unsetKey makes comments of the lines of a key, so that it is not set any more and nothing is lost.
func unsetKey(file, key string) (string, error) {
	path := strings.Split(key, ".")
	k, ok := findKey(outlineOf(file), path)
	if !ok {
		return file, nil
	}
	var b strings.Builder
	b.WriteString(file[:k.line.from])
	for line := range strings.SplitAfterSeq(file[k.line.from:k.line.to], "\n") {
		if line != "" {
			b.WriteString("# " + line)
		}
	}
	b.WriteString(file[k.line.to:])
	return verified(file, key, b.String(), func(tree map[string]any) error { return put(tree, path, nil) })
}

// verified returns a file after an edit where it says what it said before but for what change
// makes of it.
func verified(before, key, after string, change func(tree map[string]any) error) (string, error) {
	want, err := decodeTree(before)
	if err != nil {
		return "", err
	}
	byHand := fmt.Errorf("%s cannot be set in it without changing more; set it by hand", key)
	if err := change(want); err != nil {
		return "", byHand
	}
	got, err := decodeTree(after)
	if err != nil || !reflect.DeepEqual(got, want) {
		return "", byHand
	}
	return after, nil
}

// put sets a value in a tree, nil: removes it; tables that are there stay.
func put(tree map[string]any, path []string, value any) error {
	for _, name := range path[:len(path)-1] {
		below, is := tree[name].(map[string]any)
		switch {
		case tree[name] == nil && value == nil:
			return nil
		case tree[name] == nil:
			below = map[string]any{}
			tree[name] = below
		case !is:
			return fmt.Errorf("%s is not a table", name)
		}
		tree = below
	}
	last := path[len(path)-1]
	if value == nil {
		delete(tree, last)
		return nil
	}
	tree[last] = value
	return nil
}

// putLiteral puts a value where the key stands, or the key where it belongs.
func putLiteral(file string, path []string, literal string) string {
	parts, eol := outlineOf(file), lineEnd(file)
	if k, ok := findKey(parts, path); ok {
		if old := file[k.from:k.to]; strings.HasPrefix(old, "[") && strings.Contains(old, "\n") {
			if literal, ok = reList(old, literal); !ok {
				return file // it is to be done by hand
			}
		}
		return file[:k.from] + literal + file[k.to:]
	}
	table, name := path[:len(path)-1], path[len(path)-1]
	line := name + " = " + literal
	for _, p := range parts {
		if p.list || !slices.Equal(p.path, table) {
			continue
		}
		if at, ok := p.shown(file, name); ok {
			return insertLine(file, at, line, eol, false)
		}
		if len(p.path) == 0 {
			return place(file, parts, line, eol)
		}
		return insertLine(file, p.room, line, eol, false)
	}
	for _, k := range parts[0].keys { // the table is written with dots
		if len(k.path) > len(table) && slices.Equal(k.path[:len(table)], table) {
			return insertLine(file, k.line.to, strings.Join(path, ".")+" = "+literal, eol, false)
		}
	}
	return insertLine(file, len(file), "["+strings.Join(table, ".")+"]"+eol+line, eol, true)
}

// shown is the place after the comments among which the key is shown as it would be written.
func (p stretch) shown(file, name string) (at int, ok bool) {
	shows := regexp.MustCompile(`^[ \t]*#[ \t]*` + regexp.QuoteMeta(name) + `[ \t]*=`)
	for i, c := range p.comments {
		if !shows.MatchString(file[c.from:c.to]) {
			continue
		}
		for i++; i < len(p.comments) && p.comments[i].from == c.to; i++ {
			c = p.comments[i]
		}
		return c.to, true
	}
	return 0, false
}

// insertLine puts a line of its own at the beginning of another one, or at the end of the file;
// apart from what is above where it should stand so.
func insertLine(file string, at int, line, eol string, apart bool) string {
	head, tail := file[:at], file[at:]
	if head != "" && head != bom && !strings.HasSuffix(head, "\n") {
		line = eol + line
	}
	if apart && strings.TrimSpace(strings.TrimPrefix(head, bom)) != "" && !strings.HasSuffix(head, "\n"+eol) {
		line = eol + line
	}
	return head + line + eol + tail
}

// quoteLine writes a text as a TOML string on one line.
func quoteLine(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ', r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func decodeTree(file string) (map[string]any, error) {
	tree := map[string]any{}
	if _, err := toml.Decode(file, &tree); err != nil {
		return nil, err
	}
	return tree, nil
}

// place puts the line of a key that is new at the top level of a file where it belongs.
func place(file string, parts []stretch, line, eol string) string {
	at := parts[0].room
	switch {
	case len(parts[0].keys) > 0:
	case len(parts) > 1: // above the comment that belongs to the table
		at = min(parts[0].apart, parts[0].end)
	default:
		at = len(file)
	}
	if tail := file[at:]; tail != "" && !strings.HasPrefix(tail, "\n") && !strings.HasPrefix(tail, "\r\n") {
		line += eol
	}
	return insertLine(file, at, line, eol, true)
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
