package config

import (
	"slices"
	"strings"

	"chatvault/internal/text"

	"github.com/BurntSushi/toml"
)

// item is an element of a list as it is written: a text in quotes.
type item struct {
	text     string
	from, to int // of the element
	end      int // after its comma; to where it has none
}

// cut is a part of a text that is replaced.
type cut struct {
	from, to int
	with     string
}

// reList writes a list of texts anew, which stands over several lines: what is in both stays as it is
// written, with its comments and on its line; what is new goes on lines of its own; what is left
// out becomes a comment where one belongs to it. False where the list is written in a way that
// cannot be kept.
func reList(old, literal string) (string, bool) {
	items, commented, ok := itemsOf(old)
	was, isOld := texts(old)
	want, isNew := texts(literal)
	if !ok || !isOld || !isNew || len(was) != len(items) {
		return literal, !commented && isNew
	}
	for i := range items {
		items[i].text = was[i]
	}
	eol, indent := lineEnd(old), "  "
	for _, it := range items {
		if before := old[lineBegin(old, it.from):it.from]; strings.TrimSpace(before) == "" {
			indent = before
			break
		}
	}
	var cuts []cut
	kept, added := alignItems(items, want)
	for i, it := range items {
		if !kept[i] {
			cuts = append(cuts, it.leave(old))
		}
	}
	for after, list := range added {
		if len(list) == 0 {
			continue
		}
		at := 1 // after the bracket
		if after > 0 {
			it := items[after-1]
			if at = it.end; it.end == it.to && kept[after-1] {
				cuts = append(cuts, cut{it.to, it.to, ","})
			}
		}
		quoted := text.Of(list, func(item string) string { return quoteLine(item) + "," })
		rest, _, _ := strings.Cut(old[at:], "\n")
		switch trimmed := strings.TrimSpace(rest); {
		case trimmed == "" || trimmed[0] == '#':
			at += len(rest) + 1
			cuts = append(cuts, cut{at, at, indent + strings.Join(quoted, eol+indent) + eol})
		default:
			cuts = append(cuts, cut{at, at, " " + strings.Join(quoted, " ")})
		}
	}
	// What is put at a place stands after what is taken away before it, and after the comma.
	slices.SortStableFunc(cuts, func(a, b cut) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, c := range cuts {
		b.WriteString(old[at:c.from])
		b.WriteString(c.with)
		at = max(at, c.to)
	}
	b.WriteString(old[at:])
	return b.String(), true
}

// leave takes an element out: the line that it has for itself, which becomes a comment where one
// stands behind it.
func (it item) leave(old string) cut {
	begin := lineBegin(old, it.from)
	rest, _, _ := strings.Cut(old[it.end:], "\n")
	comment := strings.TrimSpace(rest)
	switch {
	case strings.TrimSpace(old[begin:it.from]) != "" || comment != "" && comment[0] != '#':
		return cut{it.from, it.end, ""}
	case comment == "":
		return cut{begin, it.end + len(rest) + 1, ""}
	}
	return cut{it.from, it.from, "# "}
}

func lineBegin(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// itemsOf finds the elements of a list that is valid TOML. False where one is no text, or its comma
// stands on another line.
func itemsOf(list string) (items []item, commented, ok bool) {
	ok = true
	s := scanner{text: list, at: 1}
	for s.at < len(s.text)-1 {
		switch c := s.next(); {
		case c == '#':
			commented = true
			s.line()
		case c == '"' || c == '\'':
			from := s.at
			s.quoted()
			items = append(items, item{from: from, to: s.at, end: s.at})
			ok = ok && !strings.Contains(s.text[from:s.at], "\n")
		case c == ',':
			s.at++
			if len(items) > 0 {
				last := &items[len(items)-1]
				last.end = s.at
				ok = ok && strings.TrimSpace(s.text[last.to:last.end]) == "," && !strings.Contains(s.text[last.to:last.end], "\n")
			}
		case strings.IndexByte(" \t\r\n", c) >= 0:
			s.at++
		default:
			ok = false
			s.at++
		}
	}
	return items, commented, ok
}

// texts are the elements of a list that is written as literal; false where it is none of texts.
func texts(literal string) ([]string, bool) {
	var tree map[string]any
	if _, err := toml.Decode("x = "+literal, &tree); err != nil {
		return nil, false
	}
	list, err := parseTexts(tree["x"])
	return list, err == nil
}

// alignItems says which elements stay (a longest common subsequence), and what is new after how many
// of them.
func alignItems(items []item, want []string) (kept []bool, added [][]string) {
	length := make([][]int, len(items)+1)
	for i := range length {
		length[i] = make([]int, len(want)+1)
	}
	for i := len(items) - 1; i >= 0; i-- {
		for j := len(want) - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if items[i].text == want[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	kept, added = make([]bool, len(items)), make([][]string, len(items)+1)
	i, j := 0, 0
	for i < len(items) || j < len(want) {
		switch {
		case i < len(items) && j < len(want) && items[i].text == want[j]:
			kept[i] = true
			i, j = i+1, j+1
		case i < len(items) && (j == len(want) || length[i+1][j] >= length[i][j+1]):
			i++
		default:
			added[i] = append(added[i], want[j])
			j++
		}
	}
	return kept, added
}
