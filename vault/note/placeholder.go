package note

import (
	"bytes"
	"strings"
)

// Templates have placeholders where values will stand: "created: {{date}}". YAML takes these for
// maps with maps for keys, which nobody means, and the parser for errors. It is shown other
// characters in their place, of Unicode's private use area, and never two lines.
const (
	placeholderOpen  = "\ue000"
	placeholderClose = "\ue001"
)

// hidePlaceholders is the content with the braces of placeholders replaced; the content itself
// where it has none.
func hidePlaceholders(content []byte) []byte {
	at := bytes.Index(content, []byte("{{"))
	if at < 0 || bytes.Contains(content, []byte(placeholderOpen)) || bytes.Contains(content, []byte(placeholderClose)) {
		return content
	}
	out := make([]byte, 0, len(content)+16)
	for at >= 0 {
		out = append(out, content[:at]...)
		content = content[at:]
		end := bytes.IndexAny(content[2:], "{}\r\n")
		if end >= 0 && bytes.HasPrefix(content[2+end:], []byte("}}")) {
			out = append(out, placeholderOpen...)
			out = append(out, content[2:2+end]...)
			out = append(out, placeholderClose...)
			content = content[2+end+2:]
		} else {
			out = append(out, content[:2]...)
			content = content[2:]
		}
		at = bytes.Index(content, []byte("{{"))
	}
	return append(out, content...)
}

// showPlaceholders gives a text of the parser its braces back.
func showPlaceholders(s string) string {
	if !strings.Contains(s, placeholderOpen) {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, placeholderOpen, "{{"), placeholderClose, "}}")
}
