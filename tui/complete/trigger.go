// Package complete finds what is meant by the few letters somebody typed: where in a line a name
// is being written, which of many names fit it, and in which order they are offered. It promises
// that what is offered holds every typed letter in order, that an order depends on nothing but the
// names and the letters, and that 50,000 names are gone through faster than a frame is drawn.
// Completion is what is offered while a text is written, Attaching what goes with it.
package complete

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what is being written.
type Kind int

// What can be completed.
const (
	None     Kind = iota
	Note          // [[ a link to a note
	Heading       // [[Note# a heading in it
	File          // @ a file or folder
	Tag           // # a tag
	Command       // / a command
	Sentence      // the beginning of one of the forms that the engine understands
)

// Trigger is a name that is being written.
type Trigger struct {
	Kind  Kind
	Start int    // where it begins in the line, its sign included, in bytes
	From  int    // from there to To stands what a candidate takes the place of
	To    int    // what closes it behind the cursor included
	Query string // what was typed of the name
	Note  string // Heading: of which note
}

// At says which name is being written at a place in a line: col is the cursor's, in bytes. Commands
// stand at the beginning of a text of one line only.
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

// linkAt finds a link that is open at the cursor.
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
			return Trigger{}, true // of this note: what is written here stands in none
		}
		t.Kind, t.Note, t.Query = Heading, note, heading
	}
	return t, true
}

// wordAt finds a mention or a tag that ends at the cursor.
func wordAt(line string, col int) Trigger {
	before := line[:col]
	if at := strings.LastIndex(before, `@"`); at >= 0 && begins(before, at) && quotedEnd(before[at+2:]) < 0 {
		t := Trigger{Kind: File, Start: at, From: at, To: col, Query: unquote(before[at+2:])}
		if strings.HasPrefix(line[col:], `"`) {
			t.To++
		}
		return t
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

// begins says whether a word may begin at a place.
func begins(line string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(line[:at])
	return at == 0 || unicode.IsSpace(r) || strings.ContainsRune("([{\"“‘", r)
}

// isTag says whether what follows a # may become a tag: Obsidian takes no tag of digits alone.
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
