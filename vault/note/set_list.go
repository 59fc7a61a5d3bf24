package note

import (
	"bytes"
	"strings"
)

// listForm is how the first list is written that has elements; Obsidian's way where there is none.
func (f *frontEdit) listForm() (how form, indent int) {
	for i := range f.entries {
		e := &f.entries[i]
		if (e.form == formFlow || e.form == formBlock) && len(e.items) > 0 {
			return e.form, e.indent
		}
	}
	return formBlock, 2
}

// flowText is a list on one line; kept are the words of elements as they were.
func flowText(list []any, kept func(v any) string) string {
	words := make([]string, len(list))
	for i, v := range list {
		if kept != nil {
			words[i] = kept(v)
		}
		if words[i] == "" {
			words[i] = word(v, true)
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// keptWords gives back how an element was written.
func (f *frontEdit) keptWords(e *entry, old []any) func(any) string {
	if len(e.items) != len(old) {
		return nil
	}
	return func(v any) string {
		for i, o := range old {
			if sameValue(o, v) && bytes.IndexByte(f.text[e.items[i].start:e.items[i].end], '#') < 0 {
				return string(f.text[e.items[i].start:e.items[i].end])
			}
		}
		return ""
	}
}

// replaceBlock gives a list of one element a line other elements. The lines of those that stay are
// kept, with their comments.
func (f *frontEdit) replaceBlock(e *entry, old, list []any) {
	stop := e.start + len(bytes.TrimRight(f.text[e.start:e.end], "\r\n"))
	var b strings.Builder
	used := make([]bool, len(e.items))
	begin := strings.Repeat(" ", e.indent) + "- "
	if len(e.items) > 0 { // tabs and the like
		first := f.text[:e.items[0].start]
		dash := bytes.LastIndexByte(first, '-')
		if line := bytes.LastIndexByte(first, '\n'); line >= 0 && dash > line && isBlank(f.text[line+1:dash]) {
			begin = string(f.text[line+1 : dash+1])
			if gap := f.text[dash+1 : e.items[0].start]; len(gap) > 0 && isBlank(gap) {
				begin += string(gap)
			} else {
				begin += " "
			}
		}
	}
	from := e.items[0].first
	for _, v := range list {
		kept := -1
		for i := range e.items {
			if len(old) == len(e.items) && !used[i] && sameValue(old[i], v) {
				kept = i
				break
			}
		}
		if kept < 0 {
			b.WriteString(begin + word(v, false) + "\n")
			continue
		}
		used[kept] = true
		lines := f.text[e.items[kept].first:e.items[kept].after]
		b.WriteString(strings.ReplaceAll(string(bytes.TrimRight(lines, "\r\n")), "\r\n", "\n") + "\n")
	}
	f.splice(from, stop, strings.TrimSuffix(b.String(), "\n"))
}
