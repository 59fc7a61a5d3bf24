// Package complete finds and ranks completions for names: it locates the name being typed in a line and ranks
// the names that match. Every candidate contains the typed letters in sequence, the ranking depends only on the names
// and the letters, and 50,000 names are matched within one frame. Completion shows candidates while
// the user types; Attaching tracks the files attached to the message.
package complete

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// Kind is the kind of name being typed.
type Kind int

// The kinds of names.
const (
	None     Kind = iota
	Note          // [[, a link to a note
	Heading       // [[Note#, a heading in it
	File          // @, a file or folder
	Tag           // #, a tag
	Command       // /, a command
	Sentence      // the start of a command of the embedded engine
)

// Trigger is a name being typed.
type Trigger struct {
	Kind  Kind
	From  int    // a candidate replaces the bytes [From, To) of the line
	To    int    // including a closing sign after the cursor
	Query string // the typed part of the name
	Note  string // for Heading, the note
}

// At returns the name being typed at a byte offset in a line. Commands are recognized only at the start of a
// single-line text.
func At(line string, col int, only bool) Trigger {
	col = max(0, min(col, len(line)))
	before := line[:col]
	if only && strings.HasPrefix(before, "/") {
		return Trigger{Kind: Command, From: 0, To: col, Query: before[1:]}
	}
	if t, open := linkAt(line, col); open {
		return t
	}
	return wordAt(line, col)
}

// linkAt returns the link being typed at the cursor.
func linkAt(line string, col int) (t Trigger, open bool) {
	before := line[:col]
	at := strings.LastIndex(before, "[[")
	if at < 0 {
		return t, false
	}
	query := before[at+2:]
	if strings.ContainsAny(query, "[]|\n") || strings.TrimLeft(query, " ") != query {
		return t, false
	}
	t = Trigger{Kind: Note, From: at, To: col, Query: query}
	if strings.HasPrefix(line[col:], "]]") {
		t.To += len("]]")
	}
	if note, heading, ok := strings.Cut(query, "#"); ok {
		if note == "" {
			return Trigger{}, true // a heading of this note, which does not exist
		}
		t.Kind, t.Note, t.Query = Heading, note, heading
	}
	return t, true
}

// wordAt returns the mention or tag that ends at the cursor.
func wordAt(line string, col int) Trigger {
	before := line[:col]
	if at := strings.LastIndex(before, `@"`); at >= 0 && begins(before, at) {
		if query, closed := unquote(before[at+2:]); closed == 0 {
			t := Trigger{Kind: File, From: at, To: col, Query: query}
			if strings.HasPrefix(line[col:], `"`) {
				t.To++
			}
			return t
		}
	}
	at := strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("([{\"“‘", r) })
	word := before
	if at >= 0 {
		_, n := utf8.DecodeRuneInString(before[at:])
		at += n
		word = before[at:]
	} else {
		at = 0
	}
	if word == "" {
		return Trigger{}
	}
	query := word[1:]
	switch {
	case word[0] == '@' && !strings.ContainsAny(query, `@"`):
		return Trigger{Kind: File, From: at, To: col, Query: query}
	case word[0] == '#' && tag().MatchString(query):
		return Trigger{Kind: Tag, From: at, To: col, Query: query}
	}
	return Trigger{}
}

// begins reports whether a word can start at an offset.
func begins(line string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(line[:at])
	return at == 0 || unicode.IsSpace(r) || strings.ContainsRune("([{\"“‘", r)
}

// tag matches what can become a tag after its #. Obsidian does not accept tags of digits alone.
var tag = lazyregexp.New(`^([\p{N}\p{M}]*[\p{L}\p{S}_/-][\p{L}\p{N}\p{M}\p{S}_/-]*)?$`)

// Mention formats a path so that Mentions finds it: @Projects/Alpha.md, @"A note.md". Within quotation marks, it is
// escaped like a Go string.
func Mention(path string) string {
	quoted := strconv.Quote(path)
	if strings.ContainsFunc(path, needsQuotes) || strings.TrimRight(path, trailing) != path || len(quoted) != len(path)+2 {
		return "@" + quoted
	}
	return "@" + path
}

func needsQuotes(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == '@' }

// unquote returns the name at the beginning of a text after an opening quotation mark, and the length of the name with
// its closing mark, or 0 if that is missing.
func unquote(s string) (name string, n int) {
	if quoted, err := strconv.QuotedPrefix(`"` + s); err == nil {
		name, _ = strconv.Unquote(quoted)
		return name, len(quoted) - 1
	}
	if name, err := strconv.Unquote(`"` + s + `"`); err == nil {
		return name, 0
	}
	return s, 0
}

// trailing lists the characters that end a sentence rather than an unquoted name.
const trailing = ".,;:!?)]}'”’»…"

// Mentions returns the names that follow an @ in a text, such as "@a.md" and `@"a b.md"`, without duplicates. A name
// extends to the next space; whether it exists in the vault is not checked.
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

// mentionAt returns the mention that starts at an offset, and its length in bytes.
func mentionAt(text string, at int) (name string, n int) {
	if !begins(text, at) {
		return "", 0
	}
	rest := text[at+1:]
	if strings.HasPrefix(rest, `"`) {
		name, n := unquote(rest[1:])
		if n == 0 {
			return "", 0
		}
		return name, n + 2
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

// DroppedFile is a file named by a paste, in the form in which terminals write dropped files.
type DroppedFile struct {
	Text string // an absolute path, or an obsidian: URL
	URL  bool   // an obsidian: URL
}

// maxDropped bounds the text parsed for dropped files, in bytes.
const maxDropped = 32 << 10

// Dropped parses a paste that consists only of absolute paths (plain, quoted, with backslashes before spaces, or as
// file: URLs) or of obsidian: URLs. It returns nil for any other text.
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
			out = append(out, d) // with its unescaped spaces
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

// dropped parses a path or URL.
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
		return DroppedFile{Text: word, URL: true}, true
	}
	if !strings.HasPrefix(word, "/") || strings.ContainsRune(word, 0) || len(word) < 2 {
		return DroppedFile{}, false
	}
	return DroppedFile{Text: word}, true
}
