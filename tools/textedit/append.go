package textedit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/tools/property"
	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/block"
	"chatvault/vault/note"
)

// Addition is text to be appended to a file or below a heading of a note.
type Addition struct {
	Content       string `json:"content" nonempty:"true" jsonschema:"the lines to add"`
	Heading       string `json:"heading,omitempty" jsonschema:"Tasks, ## Tasks or, if several match, Monday#Tasks"`
	CreateHeading bool   `json:"create_heading,omitempty" jsonschema:"create a missing heading, at the end of the note"`
}

// WorkOut converts an addition to an edit of the file. Offsets refer to the file's view.
func (a Addition) WorkOut(f *File, name string) (Edit, error) {
	content := strings.Trim(f.incoming(a.Content), "\n")
	lines := wording.Counted(1+strings.Count(content, "\n"), "line")
	e := Edit{Summary: fmt.Sprintf("Appended %s to %s.", lines, wording.Quote(name))}
	if !vault.IsNote(name) {
		e.Splices = []Splice{appendSplice(f, len(f.View), content, 0)}
		return e, nil
	}
	n := note.Parse([]byte(f.View))
	at := lastText(f.View, 0, len(f.View))
	gap := f.gap(n, at, content)
	if wanted := strings.TrimSpace(a.Heading); wanted != "" {
		i, err := findHeading(n.Headings, wanted)
		switch {
		case err != nil:
			return Edit{}, wording.Sentence("%s %s", wording.Quote(name), err)
		case i >= 0:
			h := n.Headings[i]
			at = lastText(f.View, h.End, sectionEnd(n.Headings, i, f.View))
			gap = f.gap(n, at, content)
			e.Summary = fmt.Sprintf("Appended %s under %s in %s.", lines, wording.Quote(strings.Repeat("#", h.Level)+" "+h.Text), wording.Quote(name))
		case !a.CreateHeading:
			return Edit{}, wording.Sentence(`%s Set "create_heading": true to create it at the end.`, noHeading(n.Headings, name, wanted))
		case n.Unclosed.Line > 0:
			return Edit{}, wording.Sentence("%s ends in a block that is not closed (it begins on line %d), so a heading there would not count. Close it with edit_file first: a line %s where it should end.",
				wording.Quote(name), n.Unclosed.Line, wording.Quote(n.Unclosed.Closing))
		default:
			heading := newHeading(n.Headings, wanted)
			if gap = 1; at == frontEnd(f.View, n) {
				gap = 0
			}
			content = heading + strings.Repeat("\n", 1+f.afterHeadings(n)) + content
			e.Summary = fmt.Sprintf("Appended the heading %s with %s to %s.", wording.Quote(heading), lines, wording.Quote(name))
		}
	}
	e.Splices = []Splice{appendSplice(f, at, content, gap)}
	if said := unclosedRemark(f, e.Splices); said != "" {
		e.Summary += " " + said
	}
	return e, nil
}

// sectionEnd returns the offset at which the section of a heading ends: at the next heading.
func sectionEnd(headings []note.Heading, i int, text string) int {
	if i+1 < len(headings) {
		return headings[i+1].Start
	}
	return len(text)
}

// lastText returns the end of the last nonblank line between two offsets, or start if there is none. A block comment
// at the end is skipped: plugins keep their settings in one.
func lastText(view string, start, end int) int {
	text := strings.TrimRight(view[start:end], " \t\n")
	if rest, ok := strings.CutSuffix(text, "%%"); ok {
		if open := strings.LastIndex(rest, "%%"); open >= 0 && lineBegin(rest, open) == open && strings.Contains(rest[open:], "\n") {
			text = strings.TrimRight(rest[:open], " \t\n")
		}
	}
	if text == "" {
		return start
	}
	return lineLimit(view, start+len(text)-1)
}

// frontEnd returns the end of the line that closes the front matter.
func frontEnd(view string, n note.Note) int {
	if n.Front.Lines == 0 {
		return 0
	}
	return lineLimit(view, n.Front.End)
}

// appendSplice inserts content after gap blank lines at the end of the text before at. A file without a final line end
// keeps it so, unless it is empty.
func appendSplice(f *File, at int, content string, gap int) Splice {
	blank := strings.Repeat("\n", gap)
	switch {
	case f.View == "":
		return Splice{text: content + "\n"}
	case at > 0 && f.View[at-1] != '\n':
		return Splice{Start: at, End: at, text: "\n" + blank + content}
	case at < len(f.View) && f.View[at] != '\n' && !strings.HasPrefix(f.View[at:], "#") && strings.TrimSpace(f.View[at:lineLimit(f.View, at)]) != "":
		// Otherwise what follows, such as a heading underlined by "=", would become part of it.
		return Splice{Start: at, End: at, text: blank + content + "\n\n"}
	}
	return Splice{Start: at, End: at, text: blank + content + "\n"}
}

// gap returns the number of blank lines between the text that ends at at and the content after it.
func (f *File) gap(n note.Note, at int, content string) int {
	if at == 0 || at == frontEnd(f.View, n) {
		return 0
	}
	last := f.View[lineBegin(f.View, at-1):at]
	first, _, _ := strings.Cut(content, "\n")
	if slices.ContainsFunc(n.Headings, func(h note.Heading) bool { return h.End == at }) {
		return f.afterHeadings(n)
	}
	if isTable(first) && isTable(last) || isItem(first) && (isItem(last) || last[0] == ' ' || last[0] == '\t') {
		return 0
	}
	return 1
}

// afterHeadings returns the number of blank lines after the first heading with text in this note, 0 or 1.
func (f *File) afterHeadings(n note.Note) int {
	for i, h := range n.Headings {
		end := sectionEnd(n.Headings, i, f.View)
		if strings.TrimSpace(f.View[h.End:end]) == "" {
			continue
		}
		if strings.TrimSpace(f.View[h.End:lineLimit(f.View, h.End)]) != "" {
			return 0
		}
		break
	}
	return 1
}

// isItem reports whether a line begins a list item: "- a", "1. a".
func isItem(line string) bool { return block.ItemMark([]byte(strings.TrimSpace(line))) > 0 }

// isTable reports whether a line is a row of a table.
func isTable(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "|") }

// findHeading returns the index of a heading by its text, or -1 if there is none. Leading "#" marks require that
// level, and "A#B" is B below A. Case is ignored. Several matches are an error.
func findHeading(headings []note.Heading, wanted string) (int, error) {
	marks := len(wanted) - len(strings.TrimLeft(wanted, "#"))
	title := strings.TrimSpace(wanted[marks:])
	var found []int
	for i, h := range headings {
		if strings.EqualFold(h.Text, title) && (marks == 0 || marks == h.Level) {
			found = append(found, i)
		}
	}
	if len(found) == 0 && strings.Contains(title, "#") {
		found = headingsBelow(headings, strings.Split(title, "#"))
	}
	switch len(found) {
	case 0:
		return -1, nil
	case 1:
		return found[0], nil
	}
	lines := text.Of(found[:min(len(found), maxLineNumbers)], func(i int) string { return strconv.Itoa(headings[i].Line) })
	return 0, wording.Sentence(`has %d headings %s, on lines %s. Name the one above it too, such as Monday#Tasks, or use edit_file with insert_after_line.`,
		len(found), wording.Quote(wording.Shorten(title, 80)), strings.Join(lines, ", "))
}

// headingsBelow returns the headings that match the last text and lie below headings with the other texts, outermost
// first.
func headingsBelow(headings []note.Heading, path []string) (found []int) {
	last := len(path) - 1
	for i, h := range headings {
		if !strings.EqualFold(h.Text, strings.TrimSpace(path[last])) {
			continue
		}
		need := last - 1
		for _, above := range parents(headings, i) {
			if need >= 0 && strings.EqualFold(above, strings.TrimSpace(path[need])) {
				need--
			}
		}
		if need < 0 {
			found = append(found, i)
		}
	}
	return found
}

// parents returns the texts of the headings above one, from the nearest to the outermost.
func parents(headings []note.Heading, i int) (texts []string) {
	level := headings[i].Level
	for _, h := range slices.Backward(headings[:i]) {
		if h.Level < level {
			level, texts = h.Level, append(texts, h.Text)
		}
	}
	return texts
}

// newHeading returns the line of a new heading: at the level of its marks, else of level 2 or, in a note with several
// headings of level 1, of that.
func newHeading(headings []note.Heading, wanted string) string {
	marks := len(wanted) - len(strings.TrimLeft(wanted, "#"))
	text := strings.TrimSpace(wanted[marks:])
	if marks == 0 || marks > 6 {
		marks = 2
		titles := 0
		for _, h := range headings {
			if h.Level == 1 {
				titles++
			}
		}
		if titles > 1 { // a single one is the note's title, not a section
			marks = 1
		}
	}
	return strings.Repeat("#", marks) + " " + text
}

// maxHeadingsNamed is the maximum number of headings in an error.
const maxHeadingsNamed = 20

// noHeading returns the error for a missing heading, with the existing ones.
func noHeading(headings []note.Heading, name, wanted string) error {
	wanted = wording.Shorten(wanted, 80)
	if len(headings) == 0 {
		return wording.Sentence("%s has no headings.", wording.Quote(name))
	}
	list := text.First(text.Of(headings, func(h note.Heading) string {
		return wording.Quote(strings.Repeat("#", h.Level) + " " + wording.Shorten(h.Text, 80))
	}), maxHeadingsNamed)
	return wording.Sentence(`%s has no heading %s. It has %s.`, wording.Quote(name), wording.Quote(wanted), list)
}

// unclosedRemark describes that added text becomes part of an unclosed block of code, comment or HTML, or returns ""
// if it does not, or closes it.
func unclosedRemark(f *File, splices []Splice) string {
	open := note.Parse([]byte(f.View)).Unclosed
	if open.Line == 0 || note.Parse(f.Content(splices)).Unclosed != open {
		return ""
	}
	return fmt.Sprintf("The block that begins on line %d is not closed, so what was added is part of it; a line %s would close it.", open.Line, wording.Quote(open.Closing))
}

// Under returns the text below a heading up to the next one, trimmed, or "" if there is no such heading, or several.
// Without a heading it returns the whole text.
func Under(text, heading string) string {
	if heading == "" {
		return strings.TrimSpace(text)
	}
	headings := note.Parse([]byte(text)).Headings
	i, err := findHeading(headings, heading)
	if err != nil || i < 0 {
		return ""
	}
	return strings.TrimSpace(text[headings[i].End:sectionEnd(headings, i, text)])
}

var item = regexp.MustCompile(`^([-*+] (?:\[.\] )?)\S`)

// LikeItems returns content without a leading heading and, if it is one line and the heading's section is a list,
// formatted as one of its items.
func LikeItems(content, text, heading string) string {
	lines := strings.Split(Under(text, heading), "\n")
	if n := len(heading); len(content) > n && strings.EqualFold(content[:n], heading) && content[n] == ':' {
		content = strings.TrimSpace(content[n+1:])
	}
	m := item.FindStringSubmatch(lines[len(lines)-1])
	if m == nil || strings.Contains(strings.TrimSpace(content), "\n") || item.MatchString(content) {
		return content
	}
	mark := m[1]
	if len(mark) > 2 {
		mark = mark[:2] + "[ ] "
	}
	return mark + strings.TrimSpace(content)
}

// MoveSection plans to move a heading with everything below it, or a whole note if heading is empty, to the end of the
// note named to, whose content is other. It returns the planned change and the rest of the first note. Front matter of a
// whole note is merged into that of the other. The error is a complete sentence for the model.
// lost are the properties of a whole note that gave way to other values.
func MoveSection(data []byte, name, heading string, other []byte, to string, form note.Form) (s vault.Section, rest []byte, lost []note.Property, err error) {
	f := NewFile(data)
	n := note.Parse([]byte(f.View))
	var start int
	end := len(f.View)
	if wanted := strings.TrimSpace(heading); wanted == "" {
		s.Whole, start = true, max(frontEnd(f.View, n), form.PageEnd([]byte(f.View)))
		if other, lost, err = joinProperties(data, other, form); err != nil {
			return s, nil, nil, wording.Sentence("The front matter cannot be joined: %s.", err)
		}
	} else {
		i, err := findHeading(n.Headings, wanted)
		switch {
		case err != nil:
			return s, nil, nil, wording.Sentence("%s %s", wording.Quote(name), err)
		case i < 0:
			return s, nil, nil, noHeading(n.Headings, name, wanted)
		}
		start = n.Headings[i].Start
		if k := slices.IndexFunc(n.Headings[i+1:], func(h note.Heading) bool { return h.Level <= n.Headings[i].Level }); k >= 0 {
			end = n.Headings[i+1+k].Start
		}
	}
	host := NewFile(other)
	content, splices := moveDefinitions(f.View, start, end, host.View)
	if host.View == "" {
		host.LineEnd = f.LineEnd
	}
	e, err := Addition{Content: content}.WorkOut(host, to)
	switch {
	case strings.TrimSpace(content) == "":
		return s, nil, nil, wording.Sentence("%s has no text to move.", wording.Quote(name))
	case err != nil:
		return s, nil, nil, err
	case unclosedRemark(host, e.Splices) != "":
		return s, nil, nil, wording.Sentence("%s ends in a block that is not closed, of which the section would become part. Close it with edit_file first.", wording.Quote(to))
	}
	gone := Splice{Start: start, End: end}
	if before := strings.TrimRight(f.View[:start], " \t\n"); end == len(f.View) && before != "" {
		gone.Start = lineLimit(f.View, len(before)-1)
	}
	splices = append(splices, gone)
	slices.SortStableFunc(splices, func(a, b Splice) int { return a.Start - b.Start })
	if rest = f.Content(splices); s.Whole {
		rest = []byte{}
	}
	s.Start, s.End, s.Host = len(f.bom)+f.bodyOffset(start), len(f.bom)+f.bodyOffset(end), other
	s.At = len(host.bom) + host.bodyOffset(e.Splices[0].Start)
	joined := host.Content(e.Splices)
	s.Text = joined[s.At : s.At+len(joined)-len(other)]
	return s, rest, lost, nil
}

// joinProperties adds the properties of one note to another: those that have no value there, and the elements of
// lists. lost are those that have another value there.
func joinProperties(from, into []byte, form note.Form) (joined []byte, lost []note.Property, err error) {
	properties, err := form.Properties(from)
	for _, p := range properties {
		own, _ := form.Properties(into) // an error is that of Set
		value, at := p.Value, note.Find(own, p.Key)
		if strings.EqualFold(p.Key, "title") || strings.EqualFold(p.Key, "id") {
			continue
		}
		if at >= 0 && own[at].Value != nil {
			joined, more := property.Joined(p.Key, own[at].Value, value)
			if !more {
				if joined == nil && value != nil && note.ValueText(own[at].Value) != note.ValueText(value) {
					lost = append(lost, p)
				}
				continue
			}
			value = joined
		}
		if into, err = form.Set(into, p.Key, value); err != nil {
			return nil, nil, err
		}
	}
	return into, lost, err
}
