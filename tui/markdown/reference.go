package markdown

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"chatvault/internal/lazyregexp"
	"chatvault/internal/session/cite"
)

// maxPlace bounds the text they are sought in, in bytes.
const maxPlace = 300

// placeRE matches the end of a path with a line, or a range of lines, or a line and a column.
var placeRE = lazyregexp.New(`\.[A-Za-z][A-Za-z0-9]{0,9}(:([0-9]{1,7})(?:[-–][0-9]{1,7}|:[0-9]{1,5})?)`)

// place is a Place in a text: text[from:to] is its Target and its line.
type place struct {
	from, path, to int // path: where Target ends
	ref            cite.Reference
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
		out = append(out, place{start, path, end, cite.Reference{Form: cite.Place, Target: target, Line: line}})
		from = end
	}
	return out
}

func wordByte(c byte) bool { return isWordByte(c) || c == '_' || c >= '0' && c <= '9' }

// A Cited is a reference in a text that was drawn, and what it was drawn by.
type Cited struct {
	cite.Reference
	cite.Finding
	// Goes says that it says more exactly what the reference right before it said, which need not be
	// offered, too: "[[Tart]] (Recipes/Tart.md:12)".
	Goes bool
}

// references gathers those of a text as it is drawn.
type references struct {
	find func(cite.Reference) cite.Finding
	list []Cited
	// settled is how many belong to what is drawn for good.
	settled int
}

// maxReferences bounds those of a text; what comes after them is text.
const maxReferences = 10_000

// add notes a reference and gives its number, from 1, and what is known of it; 0: there are too
// many already.
func (r *references) add(ref cite.Reference) (uint16, cite.Finding) {
	if len(r.list) >= maxReferences {
		return 0, cite.Finding{}
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
