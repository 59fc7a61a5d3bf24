package obsidian

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"chatvault/vault/moment"
)

// templateVariable is a variable of Obsidian's templates: {{title}}, {{date}}, {{time}}, the
// last two with a format after a colon.
var templateVariable = regexp.MustCompile(`(?i)\{\{\s*(title|date|time)\s*(?::(.*?))?\}\}`)

// fillTemplate puts the variables of a template in: the note's title, and when, whose date and
// time of day are those the note is made for.
func fillTemplate(text, title string, when time.Time, dateFormat, timeFormat string) string {
	return templateVariable.ReplaceAllStringFunc(text, func(found string) string {
		parts := templateVariable.FindStringSubmatch(found)
		format := strings.TrimSpace(parts[2])
		switch strings.ToLower(parts[1]) {
		case "title":
			if format != "" {
				return found // no such variable
			}
			return title
		case "date":
			return moment.Format(cmp.Or(format, dateFormat), when)
		default:
			return moment.Format(cmp.Or(format, timeFormat), when)
		}
	})
}
