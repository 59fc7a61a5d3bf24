package export

import (
	"strings"

	"chatvault/vault/block"
)

// Escaped returns text on one line with all Markdown escaped.
func Escaped(line string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(line), " ") {
		if strings.ContainsRune("\\`*_[]<>#|~&$%", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// CodeSpan returns text as a code span, with enough backticks around it.
func CodeSpan(code string) string {
	fence, pad := "`", ""
	for strings.Contains(code, fence) {
		fence += "`"
	}
	if strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") {
		pad = " "
	}
	return fence + pad + code + pad + fence
}

// Quoted returns Markdown as a block quote.
func Quoted(markdown string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.Trim(strings.ReplaceAll(markdown, "\r\n", "\n"), "\n"), "\n") {
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	return b.String()
}

// Contained returns Markdown that cannot change how the rest of a note is parsed: it closes open code blocks and
// comments.
func Contained(markdown string) string {
	markdown = strings.TrimRight(strings.ReplaceAll(markdown, "\r\n", "\n"), "\n ")
	s := block.New([]byte(markdown))
	for s.Scan() {
	}
	if _, closing := s.Unclosed(); closing != "" {
		markdown += "\n" + closing
	}
	return markdown
}
