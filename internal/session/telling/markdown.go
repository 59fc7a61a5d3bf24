package telling

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Escaped is text of one line in which nothing is Markdown.
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

// CodeSpan is text as code, whatever backticks it has.
func CodeSpan(code string) string {
	longest, run := 0, 0
	for _, r := range code {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence, pad := strings.Repeat("`", longest+1), ""
	if strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") {
		pad = " "
	}
	return fence + pad + code + pad + fence
}

// Quoted is Markdown as a quotation.
func Quoted(markdown string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.Trim(strings.ReplaceAll(markdown, "\r\n", "\n"), "\n"), "\n") {
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	return b.String()
}

// Contained is Markdown that ends where it ends: what follows it in the note is not taken for a
// part of it, as it would be for one of a code block or a comment that was left open.
func Contained(markdown string) string {
	markdown = strings.TrimRight(strings.ReplaceAll(markdown, "\r\n", "\n"), "\n ")
	if len(markdown) > maxContained {
		return Quoted(markdown)
	}
	if complete(markdown) {
		return markdown
	}
	lower := strings.ToLower(markdown)
	for _, closing := range closings {
		if name, ok := strings.CutPrefix(closing, "</"); ok && !strings.Contains(lower, "<"+strings.TrimSuffix(name, ">")) {
			continue // any of these ends the block, but not the element
		}
		if end := markdown + "\n" + closing; complete(end) {
			return end
		}
	}
	return Quoted(markdown)
}

// maxContained is how much of Markdown is looked into, in bytes; more is quoted.
const maxContained = 1 << 20

// closings end what CommonMark lets go on to the end of a document.
var closings = func() []string {
	var all []string
	for n := 3; n < 10; n++ {
		all = append(all, strings.Repeat("`", n), strings.Repeat("~", n))
	}
	return append(all, "-->", "?>", "]]>", ">", "</pre>", "</script>", "</style>", "</textarea>")
}()

// complete says whether a paragraph that follows the Markdown is one of its own.
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
