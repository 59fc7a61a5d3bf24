package note

import "bytes"

// opensSkipped looks for what hides the lines after it: comments, math, HTML. A comment or math
// that ends on the line it begins on is the paragraph's business.
func (p *parser) opensSkipped(at, end int, content []byte) bool {
	alone := func(mark int) bool { return isBlank(content[mark:]) }
	switch {
	case bytes.HasPrefix(content, []byte("%%")):
		return p.hide(at+2, end, "%%", true)
	case bytes.HasPrefix(content, []byte("$$")):
		return p.hide(at+2, end, "$$", alone(2))
	case bytes.HasPrefix(content, []byte("<!--")):
		return p.hide(at+4, end, "-->", true)
	}
	switch name, open := htmlName(content); {
	case name == "":
		return false
	case open && rawHTML[name]:
		if !p.hide(at+1+len(name), end, "</"+string(content[1:1+len(name)]), true) {
			p.endParagraph() // it is but this line
		}
		return true
	case blockHTML[name]:
		p.endParagraph()
		p.skip = skipHTML
		return true
	}
	return false
}

// hide skips what stands from an offset to a closing mark on a later line; where there is none to
// the end of the text, if that is meant. It reports whether it did. HTML goes to the end of the
// line in which it closes.
func (p *parser) hide(from, end int, closing string, toEnd bool) bool {
	if p.open == closing {
		return false // it was sought, and is not in the rest
	}
	until := len(p.text)
	i := bytes.Index(p.text[from:], []byte(closing))
	switch {
	case i >= 0:
		until = from + i + len(closing)
	case !toEnd:
		p.open = closing
		return false
	}
	if until <= end && i >= 0 {
		return false
	}
	if closing != "%%" && closing != "$$" {
		until = lineStop(p.text, until)
	}
	p.endParagraph()
	p.skip, p.until, p.began, p.closing = skipTo, until, p.line, ""
	if i < 0 {
		p.closing = closing
	}
	return true
}
