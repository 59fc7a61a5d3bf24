package export

import (
	"strings"

	"chatvault/vault/block"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
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
// comments, or quotes the text.
func Contained(markdown string) string {
	whole := strings.TrimRight(strings.ReplaceAll(markdown, "\r\n", "\n"), "\n ")
	if len(whole) > maxContained {
		return Quoted(whole)
	}
	markdown = whole
	s := block.New([]byte(markdown))
	for s.Scan() {
	}
	if _, closing := s.Unclosed(); closing != "" {
		markdown += "\n" + closing
	}
	if complete(markdown) {
		return markdown
	}
	return Quoted(whole)
}

// maxContained is the maximum length of Markdown that is parsed, in bytes. Longer text is quoted.
const maxContained = 1 << 20

// complete reports whether a paragraph appended to the Markdown is a paragraph of its own.
func complete(markdown string) bool {
	const next = "next"
	source := []byte(markdown + "\n\n" + next)
	last := goldmark.DefaultParser().Parse(text.NewReader(source)).LastChild()
	if last == nil || last.Kind() != ast.KindParagraph || last.Lines().Len() != 1 {
		return false
	}
	line := last.Lines().At(0)
	return string(line.Value(source)) == next
}
