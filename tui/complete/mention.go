package complete

import (
	"net/url"
	"strings"
	"unicode"

	"chatvault/internal/text"
)

// Mention formats a path so that Mentions finds it: @Projects/Alpha.md, @"A note.md". Within quotation marks,
// quotation marks and backslashes are escaped by a backslash.
func Mention(path string) string {
	plain := !strings.ContainsFunc(path, func(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == '@' })
	if plain && strings.TrimRight(path, trailing) == path {
		return "@" + path
	}
	return `@"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(path) + `"`
}

// quotedEnd returns the index of the closing quotation mark, or -1.
func quotedEnd(s string) int {
	for i := 0; i < len(s) && s[i] != '\n'; i++ {
		switch {
		case s[i] == '"':
			return i
		case strings.HasPrefix(s[i:], `\"`), strings.HasPrefix(s[i:], `\\`):
			i++
		}
	}
	return -1
}

// unquote unescapes a quoted name. A backslash before any other character is literal.
func unquote(s string) string { return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s) }

// trailing lists characters that end a sentence rather than an unquoted name.
const trailing = ".,;:!?)]}'”’»…"

// Mentions returns the paths mentioned in a text with @, as they appear, without duplicates: "@a.md", `@"a b.md"`.
// Whether they exist must be checked against the vault.
func Mentions(text string) []string {
	var out []string
	known := map[string]bool{}
	for at := 0; at < len(text); {
		i := strings.IndexByte(text[at:], '@')
		if i < 0 {
			break
		}
		at += i
		name, n := mentionAt(text, at)
		at += max(n, 1)
		if name != "" && !known[name] {
			known[name] = true
			out = append(out, name)
		}
	}
	return out
}

// mentionAt parses the mention at an offset and returns its length in bytes, or 0.
func mentionAt(text string, at int) (name string, n int) {
	if !begins(text, at) {
		return "", 0
	}
	rest := text[at+1:]
	if strings.HasPrefix(rest, `"`) {
		end := quotedEnd(rest[1:])
		if end < 0 {
			return "", 0
		}
		return unquote(rest[1 : end+1]), end + 3
	}
	end := strings.IndexFunc(rest, unicode.IsSpace)
	if end < 0 {
		end = len(rest)
	}
	name = strings.TrimRight(rest[:end], trailing)
	if strings.ContainsRune(name, '@') {
		return "", 0
	}
	return name, len(name) + 1
}

// DroppedFile is a file or URL in a paste, as terminals write files dropped on them.
type DroppedFile struct {
	Text   string // an absolute path, or an obsidian: URL
	URL    bool   // an obsidian: URL
	Anchor string // for a URL, the heading or block, with its "#"
}

// maxDropped bounds the paste parsed by Dropped, in bytes; longer ones are text.
const maxDropped = 32 << 10

// Dropped parses a paste that consists only of absolute paths — plain, quoted, with escaped blanks, or as file: URLs
// — or of obsidian: URLs. It returns nil for any other text.
func Dropped(pasted string) []DroppedFile {
	if len(pasted) > maxDropped {
		return nil
	}
	var out []DroppedFile
	for line := range strings.FieldsFuncSeq(pasted, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if d, ok := dropped(line); ok && !strings.ContainsAny(line, `'"\`) && !strings.Contains(line, " /") {
			out = append(out, d) // a path with unescaped blanks
			continue
		}
		words, err := text.ShellWords(line)
		if err != nil {
			return nil
		}
		for _, w := range words {
			d, ok := dropped(w)
			if !ok {
				return nil
			}
			out = append(out, d)
		}
	}
	return out
}

// dropped parses one path or URL.
func dropped(word string) (DroppedFile, bool) {
	scheme, _, isURL := strings.Cut(word, ":")
	switch {
	case isURL && strings.EqualFold(scheme, "file"):
		u, err := url.Parse(word)
		if err != nil || u.Host != "" && u.Host != "localhost" || !strings.HasPrefix(u.Path, "/") {
			return DroppedFile{}, false
		}
		return DroppedFile{Text: u.Path}, true
	case isURL && strings.EqualFold(scheme, "obsidian"):
		u, err := url.Parse(word)
		if err != nil {
			return DroppedFile{}, false
		}
		d := DroppedFile{Text: word, URL: true}
		for _, name := range []string{"file", "path"} {
			if _, anchor, ok := strings.Cut(u.Query().Get(name), "#"); ok && !strings.ContainsAny(anchor, "[]|\n") {
				d.Anchor = "#" + anchor
			}
		}
		return d, true
	}
	if !strings.HasPrefix(word, "/") || strings.ContainsRune(word, 0) || len(word) < 2 {
		return DroppedFile{}, false
	}
	return DroppedFile{Text: word}, true
}
