package memory

import (
	"strings"
	"unicode"

	"chatvault/agent/history"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// Bounds of what is taken over of a model's title and summary.
const (
	maxTitleWords = 12
	keptWords     = 8 // of a title that has more
)

// ParseTitle reads a title and a summary from a model's answer: two labelled lines, or else the first line and what
// follows it, also with Markdown, in code fences, or with words before it. The title is empty if there is none.
func ParseTitle(s string) (title, summary string) {
	if title, summary = labelledTitle(s); title == "" {
		title, summary = plainTitle(s)
	}
	return tidyTitle(title), text.Excerpt(text.Printable(text.Marks.Replace(summary)), history.MaxSummary)
}

// labelledTitle reads lines that begin with "Title:" and "Summary:"; either may go on in the
// lines after it.
func labelledTitle(s string) (title, summary string) {
	var titles, summaries []string
	var into *[]string
	for line := range strings.SplitSeq(s, "\n") {
		if fence(line) {
			continue
		}
		if rest, ok := labelled(line, "title"); ok {
			into, line = &titles, rest
		} else if rest, ok := labelled(line, "summary"); ok {
			into, line = &summaries, rest
		}
		if into != nil && !text.Blank(line) {
			*into = append(*into, line)
		}
	}
	if len(titles) == 0 {
		return "", ""
	}
	return titles[0], strings.Join(append(summaries, titles[1:]...), " ")
}

// labelled returns the text after a label and its colon at the start of a line. A label alone on its line also
// counts.
func labelled(line, label string) (rest string, ok bool) {
	plain := text.Unmarked(line)
	after, ok := text.CutFold(plain, label)
	if !ok {
		return "", false
	}
	after = strings.TrimLeft(after, " \t")
	rest, ok = strings.CutPrefix(after, ":")
	return strings.TrimSpace(rest), ok || after == ""
}

// shouted is a label in capitals, in whatever language the model took it for part of the text.
var shouted = lazyregexp.New(`^\p{Lu}{3,20}\s*:\s*`)

// plainTitle takes the first line for the title and the rest for the summary, if it is short. A
// line that only announces them is passed over.
func plainTitle(s string) (title, summary string) {
	var rest []string
	for line := range strings.SplitSeq(s, "\n") {
		if fence(line) {
			continue
		}
		plain := text.Unmarked(line)
		switch bare := shouted().ReplaceAllString(plain, ""); {
		case text.Blank(bare):
		case title != "":
			rest = append(rest, bare)
		case !strings.HasSuffix(plain, ":"):
			title = bare
		}
	}
	if len(strings.Fields(title)) > maxTitleWords {
		return "", "" // a sentence about something else
	}
	return title, strings.Join(rest, " ")
}

func fence(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "```") }

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

// Begun returns the part of a streaming answer that WithoutThinking will keep.
func Begun(s string) string {
	s = strings.TrimLeft(s, " \t\r\n")
	for _, tag := range []string{"think", "thinking", "reasoning"} {
		if strings.HasPrefix("<"+tag+">", s) {
			return ""
		}
		if !strings.HasPrefix(s, "<"+tag+">") {
			continue
		}
		_, after, _ := strings.Cut(s, "</"+tag+">")
		return strings.TrimLeft(after, " \t\r\n")
	}
	return s
}

// WithoutThinking removes the marked thoughts that some models write before an answer.
func WithoutThinking(s string) string {
	trimmed := strings.TrimSpace(s)
	for _, tag := range []string{"think", "thinking", "reasoning"} {
		if !strings.HasPrefix(trimmed, "<"+tag+">") {
			continue
		}
		if _, after, ok := strings.Cut(trimmed, "</"+tag+">"); ok && !text.Blank(after) {
			return strings.TrimSpace(after)
		}
	}
	return s
}
