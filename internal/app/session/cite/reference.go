// Package cite holds the references of answers to files of the vault, and their destinations.
package cite

import (
	"strings"
	"unicode/utf8"
)

// Form is the syntax of a reference.
type Form int

// The forms.
const (
	Wiki   Form = iota // [[Target#Anchor|text]], ![[Target]]
	Inline             // [text](Target#Anchor), ![text](Target)
	Place              // Target:Line, in running text
)

// Reference is a reference in a text, unresolved. It is comparable, so a Finding holds for all equal references.
type Reference struct {
	Form Form
	// Target is a note's name or path, percent-decoded; empty for the note itself. For a Place it is text that ends
	// with a path, which may have spaces; Starts returns where the path may begin.
	Target string
	Anchor string // "#Heading", "#One#Two", "#^block"; empty if none
	Line   int    // Place: 1-based
}

// State is whether a reference leads to a file.
type State int

// The states of a reference.
const (
	Unknown State = iota // not resolved yet
	Found                // leads to a file of the vault
	Missing              // leads nowhere
)

// Finding is the result of resolving a reference.
type Finding struct {
	State State
	Start int // Place, Found: offset of the path in Target
}

// maxStarts limits the candidates of a Place.
const maxStarts = 12

// Starts returns the offsets in Target at which its path may begin, longest candidate first: after a space, a bracket
// or a quotation mark.
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

// opening are the characters that may precede a path.
const opening = "([{<\"'“‘«„`|→:=*_"

// Likely returns where the path of an unresolved Place probably begins: after the last bracket or quotation mark,
// else after the last space.
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

// Note reports whether the target has a note's extension, so that the author meant a note.
func (r Reference) Note() bool {
	name := strings.ToLower(r.Target)
	return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".markdown")
}

// Destination is where a reference leads.
type Destination struct {
	Finding
	Path string // Found: the file's actual path, from the vault's root
}

// Citation is a reference of an item that leads to a file.
type Citation struct {
	Number int // in its item, from 0
	Reference
	Path string
}
