package naming

import (
	"path"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
)

var dailyRE = lazyregexp.New(`^(?:the )?(?:daily note|daily|journal|diary)(?: entry| note)?(?: (?:of|for|from) (.+))?$|^(.+?)(?: s)? (?:daily note|daily|note|journal|journal entry|diary|diary entry|page|entry)$`)

// Daily is the path of the daily note that a name means at a time.
func (v *Names) Daily(name string, now time.Time) string {
	text := Normal(name)
	day := text
	if m := dailyRE().FindStringSubmatch(text); m != nil {
		day = m[1] + m[2]
		if day == "" {
			day = "today"
		}
	}
	switch day {
	case "today", "todays", "today s":
		day = "today"
	case "yesterday", "yesterdays", "yesterday s":
		day = "yesterday"
	default:
		day = strings.TrimSuffix(day, " s")
		if text == day { // a bare date is the name of a note like any other
			return ""
		}
	}
	when, rest := grammar.FindTime(spacedDate().ReplaceAllString(day, "$1-$2-$3"), now, false)
	if when.IsZero() || rest != "" || when.To.Sub(when.From) > 26*time.Hour {
		return ""
	}
	return path.Join(v.dailyFolder(), when.From.Format(time.DateOnly)+".md")
}

// spacedDate is an ISO date as Normal leaves it.
var spacedDate = lazyregexp.New(`\b(\d{4}) (\d{2}) (\d{2})\b`)

// DayName matches a day as the name of a note.
var DayName = lazyregexp.New(`^\d{4}-\d{2}-\d{2}$`)

// dailyFolder is the folder that holds most notes named by a date.
func (v *Names) dailyFolder() string {
	count := map[string]int{}
	best := ""
	for p := range v.Notes {
		if DayName().MatchString(retrieval.Name(p)) {
			d := path.Dir(p)
			count[d]++
			if count[d] > count[best] || count[d] == count[best] && d < best {
				best = d
			}
		}
	}
	if best == "." {
		return ""
	}
	return best
}
