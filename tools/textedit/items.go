package textedit

import (
	"regexp"
	"strings"

	"chatvault/vault/note"
)

// Under returns what stands under a heading of a note, up to the next heading, without blank lines around it; ""
// if there is no such heading, or several.
func Under(text, heading string) string {
	headings := note.Parse([]byte(text)).Headings
	i, err := findHeading(headings, heading)
	if err != nil || i < 0 {
		return ""
	}
	end := len(text)
	if i+1 < len(headings) {
		end = headings[i+1].Start
	}
	return strings.TrimSpace(text[headings[i].End:end])
}

var item = regexp.MustCompile(`^([-*+] (?:\[.\] )?)\S`)

// LikeItems returns content without the heading before it, and as the list items that stand under the heading of a
// note are written, if it is one line and they are a list.
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
