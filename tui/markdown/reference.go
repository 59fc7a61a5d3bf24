package markdown

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"chatvault/internal/lazyregexp"
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
)

// Finding is what is known of a reference.
type Finding struct {
	State State
	Start int // Place, Found: where in Target the path begins
}

// maxStarts bounds the candidates of a Place, and maxPlace the text they are sought in, in bytes.
const (
	maxStarts = 12
	maxPlace  = 300
)

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

// likely is where a path begins that nobody found: after the last bracket or quotation mark, else
// after the last space.
func (r Reference) likely() int {
	at := max(strings.LastIndexByte(r.Target, ' ')+1, 0)
	if i := strings.LastIndexAny(r.Target, "([{<\"“‘«„`|"); i >= 0 {
		_, n := utf8.DecodeRuneInString(r.Target[i:])
		if start := i + n; start < len(r.Target) && r.Target[start] != ' ' {
			return start
		}
	}
	return at
}

// note says whether the target has the name of a note, so that one who wrote it meant one.
func (r Reference) note() bool {
	name := strings.ToLower(r.Target)
	return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".markdown")
}

// placeRE matches the end of a path with a line, or a range of lines, or a line and a column.
var placeRE = lazyregexp.New(`\.[A-Za-z][A-Za-z0-9]{0,9}(:([0-9]{1,7})(?:[-–][0-9]{1,7}|:[0-9]{1,5})?)`)

// place is a Place in a text: text[from:to] is its Target and its line.
type place struct {
	from, path, to int // path: where Target ends
	ref            Reference
}

// places finds the places in a text that stands in one style.
func places(text string) []place {
	if strings.IndexByte(text, ':') < 0 {
		return nil
	}
	var out []place
	from := 0
	for _, m := range placeRE().FindAllStringSubmatchIndex(text, -1) {
		start, path, end := max(from, m[0]-maxPlace), m[2], m[1]
		if i := strings.LastIndexByte(text[start:path], '\n'); i >= 0 {
			start += i + 1
		}
		for start < path && !utf8.RuneStart(text[start]) {
			start++
		}
		if end < len(text) && wordByte(text[end]) {
			continue // a.md:5km
		}
		line, err := strconv.Atoi(text[m[4]:m[5]])
		target := text[start:path]
		if err != nil || line == 0 || strings.Contains(target[strings.LastIndexByte(target, ' ')+1:], "://") {
			continue
		}
		out = append(out, place{start, path, end, Reference{Form: Place, Target: target, Line: line}})
		from = end
	}
	return out
}

func wordByte(c byte) bool { return isWordByte(c) || c == '_' || c >= '0' && c <= '9' }

// A Cited is a reference in a text that was drawn, and what it was drawn by.
type Cited struct {
	Reference
	Finding
	// Goes says that it says more exactly what the reference right before it said, which need not be
	// offered, too: "[[Tart]] (Recipes/Tart.md:12)".
	Goes bool
}

// references gathers those of a text as it is drawn.
type references struct {
	find func(Reference) Finding
	list []Cited
	// settled is how many belong to what is drawn for good.
	settled int
}

// maxReferences bounds those of a text; what comes after them is text.
const maxReferences = 10_000

// add notes a reference and gives its number, from 1, and what is known of it; 0: there are too
// many already.
func (r *references) add(ref Reference) (uint16, Finding) {
	if len(r.list) >= maxReferences {
		return 0, Finding{}
	}
	f := r.find(ref)
	r.list = append(r.list, Cited{Reference: ref, Finding: f})
	return uint16(len(r.list)), f
}

// mark and back take back what was noted since.
func (r *references) mark() int {
	if r == nil {
		return 0
	}
	return len(r.list)
}

func (r *references) back(mark int) {
	if r != nil {
		r.list = r.list[:mark]
	}
}
