// Package cite is what an answer refers to in the vault, and what is known of it.
package cite

import (
	"strings"
	"unicode/utf8"
)

// Form is how a reference is written.
type Form int

// The forms of a reference.
const (
	Wiki   Form = iota // [[Target#Anchor|text]], ![[Target]]
	Inline             // [text](Target#Anchor), ![text](Target)
	Place              // Target:Line, in running text
)

// Reference is what a text refers to in the vault, as it is written there. It is comparable:
// what is known of a reference is known of all that equal it.
type Reference struct {
	Form Form
	// Target is a note's name or path, percent-decoded; "": the note the text stands in. Of a
	// Place it is text that ends with a path: where in it the path begins only the vault knows, for
	// names have spaces. Starts gives the candidates.
	Target string
	Anchor string // "#Heading", "#One#Two", "#^block"; "": none
	Line   int    // Place: 1-based
}

// State is what is known of a reference.
type State int

// The states of a reference.
const (
	Unknown State = iota // nobody looked yet
	Found                // it leads to a file of the vault
	Missing              // it leads nowhere
	Undone               // it led to a note, and that the note was made was undone
)

// Finding is what is known of a reference.
type Finding struct {
	State State
	Start int // Place, Found or Undone: where in Target the path begins
}

// maxStarts bounds the candidates of a Place.
const maxStarts = 12

// Starts are the offsets in Target at which its path may begin, the longest candidate first: after
// a space, a bracket or a quotation mark.
func (r Reference) Starts() []int {
	if r.Form != Place {
		return []int{0}
	}
	var starts []int
	before := ' '
	for i, c := range r.Target {
		if c != ' ' && c != '\t' && !strings.ContainsRune(opening, c) && strings.ContainsRune(opening+" \t", before) {
			starts = append(starts, i)
		}
		before = c
	}
	return starts[max(len(starts)-maxStarts, 0):]
}

// opening is what may stand right before a path.
const opening = "([{<\"'“‘«„`|→:=*_"

// Likely is where a path begins that nobody found: after the last bracket or quotation mark, else
// after the last space.
func (r Reference) Likely() int {
	at := max(strings.LastIndexByte(r.Target, ' ')+1, 0)
	if i := strings.LastIndexAny(r.Target, "([{<\"“‘«„`|"); i >= 0 {
		_, n := utf8.DecodeRuneInString(r.Target[i:])
		if start := i + n; start < len(r.Target) && r.Target[start] != ' ' {
			return start
		}
	}
	return at
}

// Note says whether the target has the name of a note, so that one who wrote it meant one.
func (r Reference) Note() bool {
	name := strings.ToLower(r.Target)
	return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".markdown")
}

// Destination is where a reference leads.
type Destination struct {
	Finding
	Path string // Found: the file's true name, from the vault's root
}

// Citation is a reference in an item that leads to a file.
type Citation struct {
	Number int // in its item, from 0
	Reference
	Path string
}

// WithLine is a citation with the line that the next one names of the same note: "[[Note]] (Note.md:12)". One
// that names a part of the note itself stays as it is.
func WithLine(all []Citation, c Citation) Citation {
	if c.Line > 0 || c.Anchor != "" {
		return c
	}
	for _, next := range all {
		if next.Number > c.Number {
			if next.Path == c.Path {
				c.Line = next.Line
			}
			return c
		}
	}
	return c
}
