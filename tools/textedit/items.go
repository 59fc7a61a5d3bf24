package textedit

import (
	"regexp"
	"strings"

	"chatvault/vault/note"
)

// Under returns the text below a heading up to the next one, trimmed, or "" if there is no such heading, or several.
// Without a heading it returns the whole text.
func Under(text, heading string) string {
	if heading == "" {
		return strings.TrimSpace(text)
	}
	headings := note.Parse([]byte(text)).Headings
	i, err := findHeading(headings, heading)
	if err != nil || i < 0 {
		return ""
	}
	return strings.TrimSpace(text[headings[i].End:sectionEnd(headings, i, text)])
}

var item = regexp.MustCompile(`^([-*+] (?:\[.\] )?)\S`)

// LikeItems returns content without a leading heading and, if it is one line and the heading's section is a list,
// formatted as one of its items.
func LikeItems(content, text, heading string) string {
	lines := strings.Split(Under(text, heading), "\n")
	if n := len(heading); len(content) > n && strings.EqualFold(content[:n], heading) && content[n] == ':' {
		content = strings.TrimSpace(content[n+1:])
	}
	m := item.FindStringSubmatch(lines[len(lines)-1])
	if m == nil || strings.Contains(strings.TrimSpace(content), "\n") || item.MatchString(content) {
		return content
	}
	mark := m[1]
	if len(mark) > 2 {
		mark = mark[:2] + "[ ] "
	}
	return mark + strings.TrimSpace(content)
}
