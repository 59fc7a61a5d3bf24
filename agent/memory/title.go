// Package memory has what models write about conversations: titles and summaries, reviews and their file, and the
// transcripts that they are made from. It calls no model.
package memory

import (
	"strings"
	"unicode"

	"chatvault/agent/history"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// maxTitleWords is the most words of a line without a label that is taken for a title.
const maxTitleWords = 12

// label is the label of a title or a summary, in English or in capitals in any language.
var label = lazyregexp.New(`^(?:(?i:title|summary)\s*(?::\s*|$)|\p{Lu}{3,20}\s*:\s*)`)

// ParseTitle reads a title and a summary from a model's answer: the first line and what follows it. Labels, Markdown, code
// fences and an announcement before them are ignored. The title is empty if there is none, or the first line without a
// label is too long for one.
func ParseTitle(s string) (title, summary string) {
	var lines []string
	labelled := false
	for line := range strings.Lines(s) {
		unmarked := text.Unmarked(line)
		bare := label().ReplaceAllString(unmarked, "")
		if bare != unmarked && len(lines) == 0 {
			labelled = true
		}
		if strings.HasPrefix(strings.TrimSpace(line), "```") || text.Blank(bare) || len(lines) == 0 && strings.HasSuffix(bare, ":") {
			continue
		}
		lines = append(lines, bare)
	}
	if len(lines) == 0 || !labelled && len(strings.Fields(lines[0])) > maxTitleWords {
		return "", ""
	}
	return tidyTitle(lines[0]), text.Excerpt(text.Printable(strings.Join(lines[1:], " ")), history.MaxSummary)
}

// tidyTitle returns a title on one line, without markup, quotation marks and full stop, and not too long.
func tidyTitle(title string) string {
	title = text.OneLine(text.Printable(text.Unmarked(title)))
	title = strings.Trim(title, "\"'“”„‘’«»‹› ")
	if !strings.HasSuffix(title, "..") {
		title = strings.TrimSuffix(title, ".")
	}
	title = text.Excerpt(title, history.MaxTitle)
	if strings.IndexFunc(title, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return ""
	}
	return title
}
