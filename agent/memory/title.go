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

// Bounds of what is taken over of a model's title and summary.
const (
	maxTitleWords = 12
	keptWords     = 8 // of a title that has more
)

// ParseTitle reads a title and a summary from a model's answer: two labelled lines, each of which may continue in the
// lines after it, or else the first line and what follows it. Markdown, code fences and an announcement before them are
// ignored. The title is empty if there is none, or the first line without a label is too long for one.
func ParseTitle(s string) (title, summary string) {
	var titles, summaries, plain []string
	var into *[]string
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			continue
		}
		unmarked := text.Unmarked(line)
		if bare := shouted().ReplaceAllString(unmarked, ""); !text.Blank(bare) && (len(plain) > 0 || !strings.HasSuffix(unmarked, ":")) {
			plain = append(plain, bare)
		}
		if rest, ok := labelled(unmarked, "title"); ok {
			into, line = &titles, rest
		} else if rest, ok := labelled(unmarked, "summary"); ok {
			into, line = &summaries, rest
		}
		if into != nil && !text.Blank(line) {
			*into = append(*into, line)
		}
	}
	switch {
	case len(titles) > 0 && tidyTitle(titles[0]) != "":
		title, summary = titles[0], strings.Join(append(summaries, titles[1:]...), " ")
	case len(plain) > 0 && len(strings.Fields(plain[0])) <= maxTitleWords:
		title, summary = plain[0], strings.Join(plain[1:], " ")
	}
	return tidyTitle(title), text.Excerpt(text.Printable(text.Marks.Replace(summary)), history.MaxSummary)
}

// labelled returns the text after a label and its colon at the start of a line. A label alone on its line also
// counts.
func labelled(unmarked, label string) (rest string, ok bool) {
	after, ok := text.CutFold(unmarked, label)
	if !ok {
		return "", false
	}
	after = strings.TrimLeft(after, " \t")
	rest, ok = strings.CutPrefix(after, ":")
	return strings.TrimSpace(rest), ok || after == ""
}

// shouted is a label in capitals, in whatever language the model took it for part of the text.
var shouted = lazyregexp.New(`^\p{Lu}{3,20}\s*:\s*`)

// tidyTitle returns a title on one line, without markup, quotation marks and full stop, and not too long.
func tidyTitle(title string) string {
	title = text.OneLine(text.Printable(text.Unmarked(title)))
	title = strings.Trim(title, "\"'“”„‘’«»‹› ")
	if !strings.HasSuffix(title, "..") {
		title = strings.TrimSuffix(title, ".")
	}
	if words := strings.Fields(title); len(words) > maxTitleWords {
		title = strings.TrimRight(strings.Join(words[:keptWords], " "), ",;:–—-") + "…"
	}
	title = text.Excerpt(title, history.MaxTitle)
	if strings.IndexFunc(title, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return ""
	}
	return title
}
