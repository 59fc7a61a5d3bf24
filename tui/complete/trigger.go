// Package complete finds and ranks completions for names: it locates the name being typed in a line and ranks
// the names that match. Every candidate contains the typed letters in sequence, the ranking depends only on the names
// and the letters, and 50,000 names are matched within one frame. Completion shows candidates while
// the user types; Attaching tracks the files attached to the message.
package complete

import (
	"strings"
	"unicode"
	"unicode/utf8"
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
	Start int    // byte offset in the line, including the sign
	From  int    // a candidate replaces the bytes [From, To)
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
	t = Trigger{Kind: Note, Start: at, From: at, To: col, Query: query}
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
			t := Trigger{Kind: File, Start: at, From: at, To: col, Query: query}
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
		return Trigger{Kind: File, Start: at, From: at, To: col, Query: query}
	case word[0] == '#' && isTag(query):
		return Trigger{Kind: Tag, Start: at, From: at, To: col, Query: query}
	}
	return Trigger{}
}

// begins reports whether a word can start at an offset.
func begins(line string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(line[:at])
	return at == 0 || unicode.IsSpace(r) || strings.ContainsRune("([{\"“‘", r)
}

// isTag reports whether the text after a # can become a tag. Obsidian does not accept tags of digits alone.
func isTag(s string) bool {
	digits := s != ""
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
		case unicode.IsLetter(r), unicode.Is(unicode.M, r), unicode.IsNumber(r), r == '_', r == '-', r == '/', r > unicode.MaxLatin1 && !unicode.IsPunct(r) && !unicode.IsSpace(r):
			digits = false
		default:
			return false
		}
	}
	return !digits
}
