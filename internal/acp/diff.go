package acp

import (
	"strconv"
	"strings"

	protocol "github.com/coder/acp-go-sdk"
)

// passage is a part of a change: what was there and what is there then, with what stands around it.
type passage struct {
	path     string // by the change's own words, relative to the vault
	old, new string
	added    bool // there was no such file
	line     int  // where it begins then, from 1
}

// passages are the parts of a unified diff, which may be of several files; not whole: it was cut short,
// and says so itself.
func passages(diff string) (out []passage, whole bool) {
	path, last := "", byte(' ')
	oldLeft, newLeft := 0, 0 // lines that are still to come of the part under way
	for line := range strings.Lines(strings.TrimSuffix(diff, "\n") + "\n") {
		inside := oldLeft > 0 || newLeft > 0
		switch {
		case strings.HasPrefix(line, `\`): // the line before has no end
			if n := len(out); n > 0 {
				out[n-1].unended(last)
			}
		case !inside && strings.HasPrefix(line, "--- "):
		case !inside && strings.HasPrefix(line, "+++ "):
			path = strings.TrimSpace(line[len("+++ "):])
		case !inside && strings.HasPrefix(line, "@@ "):
			first, start, oldLines, newLines, ok := header(line)
			if !ok {
				return out, false
			}
			oldLeft, newLeft = oldLines, newLines
			out = append(out, passage{path: path, added: first == 0, line: max(start, 1)})
		case inside:
			p := &out[len(out)-1]
			if last = line[0]; !strings.ContainsRune(" +-", rune(last)) {
				return out, false
			}
			if last != '+' {
				p.old += line[1:]
				oldLeft--
			}
			if last != '-' {
				p.new += line[1:]
				newLeft--
			}
		}
	}
	return out, oldLeft == 0 && newLeft == 0
}

// unended takes the line end off the line that was added last: one of what was, of what is, or of both.
func (p *passage) unended(kind byte) {
	if kind != '+' {
		p.old = strings.TrimSuffix(p.old, "\n")
	}
	if kind != '-' {
		p.new = strings.TrimSuffix(p.new, "\n")
	}
}

// header reads "@@ -3,4 +3,5 @@": where the part begins before and after, and how long it is.
func header(line string) (first, start, oldLines, newLines int, ok bool) {
	words := strings.Fields(line)
	if len(words) < 3 {
		return 0, 0, 0, 0, false
	}
	first, oldLines, was := span(words[1], "-")
	start, newLines, is := span(words[2], "+")
	return first, start, oldLines, newLines, was && is
}

// span reads "-3,4", or "-3" for one line.
func span(word, sign string) (start, lines int, ok bool) {
	rest, ok := strings.CutPrefix(word, sign)
	first, count, counted := strings.Cut(rest, ",")
	start, err := strconv.Atoi(first)
	lines = 1
	if counted && err == nil {
		lines, err = strconv.Atoi(count)
	}
	return start, lines, ok && err == nil
}

// diffs are a unified diff as an editor shows it, and where its parts are.
func (t *teller) diffs(diff string) (content []protocol.ToolCallContent, at []protocol.ToolCallLocation) {
	parts, whole := passages(diff)
	for _, p := range parts {
		name, ok := t.file(p.path)
		if !ok {
			continue
		}
		line := p.line
		at = append(at, protocol.ToolCallLocation{Path: name, Line: &line})
		if p.added {
			content = append(content, protocol.ToolDiffContent(name, p.new))
		} else {
			content = append(content, protocol.ToolDiffContent(name, p.new, p.old))
		}
	}
	if !whole && len(content) > 0 {
		content = append(content, protocol.ToolContent(protocol.TextBlock("The change is longer than what is shown of it here.")))
	}
	return content, at
}
