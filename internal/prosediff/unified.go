package prosediff

import (
	"strconv"
	"strings"
)

// FromUnified reads a unified diff of one file, by its name as for CompareFile, which shows no more of
// a text than is around what changes. Lines of the diff that are none of it (that something was
// left out) count in LeftLines where they say a number, and end it. ok is false where there is no
// hunk in it.
func FromUnified(name, diff string) (d *Diff, ok bool) {
	d = &Diff{lines: !isNote(name)}
	rest := strings.SplitAfter(diff, "\n")
	for len(rest) > 0 && (strings.HasPrefix(rest[0], "--- ") || strings.HasPrefix(rest[0], "+++ ")) {
		rest = rest[1:]
	}
	for len(rest) > 0 {
		h, head := hunkHeader(rest[0])
		if !head {
			if ok {
				d.LeftLines = leftOut(rest)
			}
			break
		}
		ok = true
		var before, after string
		before, after, rest, _ = h.texts(rest[1:])
		d.excerpt(before, after, h)
	}
	return d, ok
}

// Part is a part of a text that holds unified diffs: a diff, or what stands around it.
type Part struct {
	Text string
	Diff bool
	Name string // Diff: of the file, as the diff has it; empty where the file is gone
}

// Parts cuts a text into the unified diffs in it and what stands around them. A diff begins with
// the two lines that name its files, and is as long as its hunks say.
func Parts(text string) []Part {
	var out []Part
	lines := strings.SplitAfter(text, "\n")
	from := 0
	around := func(to int) {
		if said := strings.Join(lines[from:to], ""); strings.TrimSpace(said) != "" {
			out = append(out, Part{Text: said})
		}
	}
	for i := 0; i+2 < len(lines); i++ {
		name, ok := strings.CutPrefix(lines[i+1], "+++ ")
		if !ok || !strings.HasPrefix(lines[i], "--- ") {
			continue
		}
		rest := lines[i+2:]
		for len(rest) > 0 {
			h, ok := hunkHeader(rest[0])
			if !ok {
				break
			}
			_, _, rest, _ = h.texts(rest[1:])
		}
		end := len(lines) - len(rest)
		if end == i+2 {
			continue
		}
		around(i)
		out = append(out, Part{Text: strings.Join(lines[i:end], ""), Diff: true, Name: strings.Trim(strings.TrimSpace(name), `"`)})
		from, i = end, end-1
	}
	around(len(lines))
	return out
}

// Excerpt is what a hunk of a unified diff shows.
type Excerpt struct {
	Name          string // of the file, as the diff has it
	Before, After string
	Added         bool // there was no such file
	Line          int  // where it begins then, from 1
}

// Excerpts are the hunks of a text of unified diffs, which may be of several files; not whole: it was cut
// short, and says so itself.
func Excerpts(diff string) (out []Excerpt, whole bool) {
	name := ""
	for rest := strings.SplitAfter(strings.TrimSuffix(diff, "\n")+"\n", "\n"); len(rest) > 0; {
		line := rest[0]
		rest = rest[1:]
		if file, ok := strings.CutPrefix(line, "+++ "); ok {
			name = strings.TrimSpace(file)
		}
		if !strings.HasPrefix(line, "@@ ") {
			continue
		}
		h, ok := hunkHeader(line)
		if !ok {
			return out, false
		}
		e := Excerpt{Name: name, Added: h.oldLine == 0, Line: max(h.newLine, 1)}
		e.Before, e.After, rest, whole = h.texts(rest)
		if out = append(out, e); !whole {
			return out, false
		}
	}
	return out, true
}

// header is a hunk's: where it begins in both texts, and how many lines of each it shows.
type header struct{ oldLine, oldLines, newLine, newLines int }

// hunkHeader reads "@@ -3,7 +3,8 @@".
func hunkHeader(line string) (h header, ok bool) {
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return h, false
	}
	old, rest, ok1 := strings.Cut(rest, " +")
	now, _, ok2 := strings.Cut(rest, " @@")
	if !ok1 || !ok2 {
		return h, false
	}
	count := func(s string) (at, n int, ok bool) {
		first, second, more := strings.Cut(s, ",")
		at, err := strconv.Atoi(first)
		n = 1
		if more && err == nil {
			n, err = strconv.Atoi(second)
		}
		return at, n, err == nil && at >= 0 && n >= 0
	}
	h.oldLine, h.oldLines, ok1 = count(old)
	h.newLine, h.newLines, ok2 = count(now)
	return h, ok1 && ok2
}

// texts are what a hunk shows of both texts, and the lines after it. A hunk that was cut is not whole,
// and ends with the first line that is none of it.
func (h header) texts(lines []string) (before, after string, rest []string, whole bool) {
	var a, b strings.Builder
	unended := func(s *strings.Builder) {
		text := strings.TrimSuffix(s.String(), "\n")
		s.Reset()
		s.WriteString(text)
	}
	left, leftNew := h.oldLines, h.newLines
	last := byte(0)
	for len(lines) > 0 && (left > 0 || leftNew > 0 || strings.HasPrefix(lines[0], `\`)) {
		sign, text := byte(' '), "\n"
		if lines[0] != "" && lines[0] != "\n" {
			sign, text = lines[0][0], lines[0][1:]
		}
		switch {
		case lines[0] == "":
			return a.String(), b.String(), nil, false
		case sign == '\\':
			if last != '+' {
				unended(&a)
			}
			if last != '-' {
				unended(&b)
			}
		case sign == ' ' && left > 0 && leftNew > 0:
			a.WriteString(text)
			b.WriteString(text)
			left, leftNew = left-1, leftNew-1
		case sign == '-' && left > 0:
			a.WriteString(text)
			left--
		case sign == '+' && leftNew > 0:
			b.WriteString(text)
			leftNew--
		default:
			return a.String(), b.String(), lines, false
		}
		last, lines = sign, lines[1:]
	}
	return a.String(), b.String(), lines, left == 0 && leftNew == 0
}

// excerpt adds what a hunk shows.
func (d *Diff) excerpt(before, after string, h header) {
	part := compare(before, after, d.lines)
	if len(part.Passages) > 0 {
		part.Passages[0].Gap = len(d.Passages) > 0 || h.oldLine > 1
	}
	if first := len(d.Passages) == 0; first || part.old.end == d.old.end && part.new.end == d.new.end {
		d.old.end, d.new.end = part.old.end, part.new.end
	} else {
		d.old.end, d.new.end = "", ""
	}
	d.added, d.removed = d.added+part.added, d.removed+part.removed
	for _, p := range part.Passages {
		if p.Op == Added {
			p.Line += max(h.newLine, 1) - 1
		} else {
			p.Line += max(h.oldLine, 1) - 1
		}
		if p.Hunk >= 0 {
			p.Hunk += len(d.Hunks)
		}
		d.Passages = append(d.Passages, p)
	}
	first := len(d.Passages) - len(part.Passages)
	for _, k := range part.Hunks {
		if k.From, k.To = k.From+first, k.To+first; k.Whole == "" {
			k.Line = d.Passages[k.From].Line
		}
		d.Hunks = append(d.Hunks, k)
	}
}

// leftOut is the first number in what a diff says of what it leaves out; 1 where it says none.
func leftOut(lines []string) int {
	for _, line := range lines {
		for word := range strings.FieldsSeq(line) {
			if n, err := strconv.Atoi(strings.ReplaceAll(word, ",", "")); err == nil && n > 0 {
				return n
			}
		}
		if strings.TrimSpace(line) != "" {
			return 1
		}
	}
	return 0
}
