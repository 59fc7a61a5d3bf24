package note

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"chatvault/internal/base/lazyregexp"
)

// taskFields are the fields of a task by their names in Dataview, each with the emojis of the Tasks plugin before its
// value or the field in brackets around it.
var taskFields = func() map[string]func() *regexp.Regexp {
	const date, word, name = `\d{4}-\d\d-\d\d`, `[A-Za-z]+`, `[\w-]+(?:[ \t]*,[ \t]*[\w-]+)*`
	all := map[string]func() *regexp.Regexp{}
	for _, f := range []struct{ name, emojis, value string }{
		{"due", "📅📆🗓", date},
		{"scheduled", "⏳⌛", date},
		{"start", "🛫", date},
		{"created", "➕", date},
		{"completion", "✅", date},
		{"cancelled", "❌", date},
		{"repeat", "🔁", `[A-Za-z0-9, !]*[A-Za-z0-9!]`},
		{"onCompletion", "🏁", word},
		{"id", "🆔", name},
		{"dependsOn", "⛔", name},
		{"priority", "🔺⏫🔼🔽⏬", word + "|"},
	} {
		all[f.name] = lazyregexp.New(`[ \t]*(?:[` + f.emojis + `]\x{FE0F}?[ \t]*(` + f.value + `)|\[[ \t]*` + f.name + `::[ \t]*(` + f.value + `)[^\]]*\]|\([ \t]*` + f.name + `::[ \t]*(` + f.value + `)[^)]*\))`)
	}
	return all
}()

// place returns the byte range of a field's value in the text of a task; ok is false if it does not have the field.
func place(text, field string) (start, end int, ok bool) {
	m := taskFields[field]().FindStringSubmatchIndex(text)
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			return m[i], m[i+1], true
		}
	}
	return 0, 0, false
}

// Field returns the value of a field such as "start" or "repeat", or "" if the task does not have it.
func (t Task) Field(name string) string {
	start, end, _ := place(t.Text, name)
	return t.Text[start:end]
}

// Date returns the date of a field such as "scheduled", midnight UTC, or the zero time.
func (t Task) Date(field string) time.Time {
	if field == "due" {
		return t.Due
	}
	day, _ := time.Parse(time.DateOnly, t.Field(field))
	return day
}

// Priorities are the priorities of tasks, the highest first.
var Priorities = []string{"highest", "high", "medium", "normal", "low", "lowest"}

// Priority returns the task's priority, an element of Priorities.
func (t Task) Priority() string {
	for i, emoji := range []string{"🔺", "⏫", "🔼", "", "🔽", "⏬"} {
		if emoji != "" && strings.Contains(t.Text, emoji) {
			return Priorities[i]
		}
	}
	return cmp.Or(strings.ToLower(t.Field("priority")), "normal")
}
