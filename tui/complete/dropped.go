package complete

import (
	"net/url"
	"strings"

	"chatvault/internal/text"
)

// DroppedFile is a file that a paste names, as terminals write files that are dropped on them.
type DroppedFile struct {
	Text   string // an absolute path, or an obsidian: URL
	URL    bool   // it is a URL of Obsidian's
	Anchor string // URL: the heading or block it names, with its "#"
}

// maxDropped bounds what is taken for dropped files, in bytes: what is longer is text.
const maxDropped = 32 << 10

// Dropped reads a paste that consists of nothing but absolute paths — plain, quoted, with
// backslashes before blanks, as file: URLs — or of URLs of Obsidian's; nil for any other.
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
			out = append(out, d) // with its blanks, which nothing escapes
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

// dropped reads one path or URL.
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
