package block

import (
	"bytes"
	"strings"

	"chatvault/internal/base/lazyregexp"
)

// rawHTML lists the elements with raw content up to their end tag, blockHTML those that end at a blank line (4.6,
// kinds 1 and 6).
var (
	rawHTML   = nameSet("pre script style textarea")
	blockHTML = nameSet("address article aside base basefont blockquote body caption center col colgroup dd details " +
		"dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr " +
		"html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search section summary " +
		"table tbody td tfoot th thead title tr track ul")
)

func nameSet(names string) map[string]bool {
	set := make(map[string]bool)
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// TagName returns the lower-case name of the HTML tag that the text begins with, or "" if there is none. open reports
// whether it is an opening tag.
func TagName(text []byte) (name string, open bool) {
	if len(text) < 2 || text[0] != '<' {
		return "", false
	}
	text, open = text[1:], true
	if text[0] == '/' {
		text, open = text[1:], false
	}
	n := 0
	for n < len(text) && n < 16 && (isLetter(text[n]) || n > 0 && '0' <= text[n] && text[n] <= '9') {
		n++
	}
	if n < len(text) && strings.IndexByte(" \t>/", text[n]) < 0 {
		return "", false
	}
	return strings.ToLower(string(text[:n])), open
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// opensHTML reports whether a line's content opens an HTML block and returns what closes it; "" is a blank line.
// anyTag is set outside a paragraph, where any tag opens a block.
func opensHTML(line []byte, anyTag bool) (closing string, ok bool) {
	for _, kind := range [...][2]string{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}} {
		if bytes.HasPrefix(line, []byte(kind[0])) {
			return kind[1], true
		}
	}
	if len(line) > 2 && line[1] == '!' && isLetter(line[2]) {
		return ">", true
	}
	name, open := TagName(line)
	behind := line[min(len(line), 1+len(name)):]
	if !open && len(behind) > 0 {
		behind = behind[1:]
	}
	slash := len(behind) > 0 && behind[0] == '/'
	switch {
	case open && rawHTML[name] && !slash:
		return "</" + string(line[1:1+len(name)]) + ">", true
	case blockHTML[name] && (!slash || len(behind) > 1 && behind[1] == '>'):
		return "", true
	}
	return "", anyTag && !rawHTML[name] && tagLine().Match(line)
}

// endHTML ends the open HTML block if the line closes it. The end tag of any raw element closes each of them.
func (s *Scanner) endHTML(line []byte) {
	if s.closing == "" {
		return
	}
	if len(s.closing) <= len("-->") {
		if bytes.Contains(line, []byte(s.closing)) {
			s.leaf = Blank
		}
		return
	}
	for {
		i := bytes.Index(line, []byte("</"))
		if i < 0 {
			return
		}
		line = line[i:]
		if name, _ := TagName(line); rawHTML[name] && bytes.HasPrefix(line[2+len(name):], []byte(">")) {
			s.leaf = Blank
			return
		}
		line = line[2:]
	}
}

// tagLine matches a line that consists of one complete tag (6.6).
var tagLine = lazyregexp.New(`^<(?:[A-Za-z][A-Za-z0-9-]*(?:[ \t]+[A-Za-z_:][A-Za-z0-9_.:-]*(?:[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|[^ \t"'=<>` + "`" + `]+))?)*[ \t]*/?|/[A-Za-z][A-Za-z0-9-]*[ \t]*)>[ \t]*$`)
