package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/internal/base/lazyregexp"
	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault/obsidian"
)

type dailyNoteArgs struct {
	Action  string `json:"action,omitempty" oneof:"path,read,append" jsonschema:"default append with content, else read"`
	Date    string `json:"date,omitempty" jsonschema:"today (default), yesterday, tomorrow, YYYY-MM-DD or next week"`
	Period  string `json:"period,omitempty" oneof:"daily,weekly,monthly,quarterly,yearly"`
	Content string `json:"content,omitempty" jsonschema:"append: the lines to add"`
	Heading string `json:"heading,omitempty" jsonschema:"append: under this heading, created if missing"`
}

var _ = define(definition{
	name:    "daily_note",
	traits:  Traits{Verb: "opening the daily note of", Did: "opened the daily note of", Kind: CallEdits, Edits: true, Adds: true, Spare: true},
	short:   []Form{{About: "add lines to today's daily note", Params: []Param{{"content", ""}}, For: []Wish{WishDaily}}},
	example: `{"action": "append", "date": "today", "content": "- text"}`,
}, runDailyNote, targetDailyNote)

func targetDailyNote(a dailyNoteArgs) string {
	what := cmp.Or(strings.TrimSpace(a.Date), "today")
	if a.Period != "" {
		what += " (" + a.Period + ")"
	}
	return what
}

func runDailyNote(ctx context.Context, t *Turn, a dailyNoteArgs) Result {
	if a.Action == "" {
		a.Action = "read"
		if a.Content != "" {
			a.Action = "append"
		}
	}
	switch {
	case a.Action == "append" && strings.TrimSpace(a.Content) == "":
		return failf("invalid arguments", `Missing argument "content" for daily_note: the lines to append.`)
	case a.Action != "append" && (a.Content != "" || a.Heading != ""):
		return failf("invalid arguments", `content and heading work only with the action append, not with %s.`, a.Action)
	case strings.ContainsAny(strings.TrimSpace(a.Heading), "\r\n"):
		return failf("invalid arguments", "heading must be one line.")
	}
	day, period, err := dayOf(a.Date, time.Now())
	if err != nil {
		return failf("invalid date", "%s", err)
	}
	a.Period = cmp.Or(a.Period, period)
	note, err := t.vault.Obsidian.PeriodicNote(ctx, a.Period, day)
	if err != nil {
		return failed("daily_note", err)
	}
	switch a.Action {
	case "path":
		return dailyPath(note, a.Period, day)
	case "read":
		if !note.Exists {
			return failf("not there", "There is no %s note for %s yet: %s does not exist. The action append creates it.", a.Period, dayName(day), wording.Quote(note.Path))
		}
		return runReadFile(ctx, t, readFileArgs{Path: note.Path})
	}
	return t.appendDaily(ctx, note, a)
}

// aroundNow matches the date arguments that name a period.
var aroundNow = lazyregexp.New(`^(this|last|next) (week|month|quarter|year)$`)

// dayOf parses a date argument. The result has the time of day of now; period is the one that the argument names, or
// "daily".
func dayOf(date string, now time.Time) (day time.Time, period string, err error) {
	date = cmp.Or(strings.ToLower(strings.TrimSpace(date)), "today")
	if m := aroundNow().FindStringSubmatch(date); m != nil {
		n, unit := map[string]int{"last": -1, "next": 1}[m[1]], slices.Index([]string{"week", "month", "quarter", "year"}, m[2])
		if day = now.AddDate(0, 0, 7*n); unit > 0 {
			day = now.AddDate(0, n*[]int{0, 1, 3, 12}[unit], 1-now.Day())
		}
		return day, obsidian.Periods[1+unit], nil
	}
	day, ok := dueDay(date, now)
	if !ok {
		return time.Time{}, "", wording.Sentence(`Argument "date" of daily_note must be today, yesterday, tomorrow or a date such as %s, not %s.`,
			now.Format("2006-01-02"), wording.Quote(wording.Shorten(date, 40)))
	}
	return time.Date(day.Year(), day.Month(), day.Day(), now.Hour(), now.Minute(), now.Second(), now.Nanosecond(), now.Location()), "daily", nil
}

// dayName formats a day for a sentence: "Saturday, 2026-11-21".
func dayName(day time.Time) string { return day.Format("Monday, 2006-01-02") }

func dailyPath(note obsidian.PeriodicNote, period string, day time.Time) Result {
	state, summary := "already exists", "exists"
	if !note.Exists {
		state, summary = "does not exist yet; the action append creates it", "does not exist"
		if note.Template != "" {
			state += " from the template " + wording.Quote(note.Template)
		}
	}
	text := fmt.Sprintf("%s%s note for %s: %s (%s)", strings.ToUpper(period[:1]), period[1:], dayName(day), wording.PlainName(note.Path), state)
	if note.Default {
		text += "\nThe vault has no settings for " + period + " notes; this is where Obsidian puts them by default."
	}
	return Result{Text: text, Summary: summary}
}

// appendDaily appends content to the note or below a heading in it, creating the note if it is missing.
func (t *Turn) appendDaily(ctx context.Context, note obsidian.PeriodicNote, a dailyNoteArgs) Result {
	more := textedit.Addition{Content: a.Content, Heading: a.Heading, CreateHeading: a.Heading != ""}
	if !note.Exists {
		return t.createDaily(ctx, note, more)
	}
	file, err := t.notes.Read(ctx, note.Path)
	if err != nil {
		return failed("daily_note", err)
	}
	return t.appendTo(ctx, note.Path, file, more, "nothing can be appended", "not appended")
}

// afterTemplate returns the text of a new note: a template with something appended.
func afterTemplate(begin, name string, more textedit.Addition) ([]byte, textedit.Edit, error) {
	text := textedit.NewFile([]byte(begin))
	if text.View != "" && !strings.HasSuffix(text.View, "\n") {
		text = textedit.NewFile([]byte(begin + cmp.Or(text.LineEnd, "\n")))
	}
	e, err := more.WorkOut(text, name)
	return text.Content(e.Splices), e, err
}

// createDaily creates the note from its template, with content appended.
func (t *Turn) createDaily(ctx context.Context, note obsidian.PeriodicNote, more textedit.Addition) Result {
	data, e, err := afterTemplate(note.Begin, note.Path, more)
	if err != nil {
		return failf("not appended", "%s", err)
	}
	from, said := "", " "+e.Summary
	if note.Template != "" {
		from = " from the template " + wording.Quote(note.Template)
	}
	if note.Note != "" {
		said += " " + note.Note
	}
	return t.createAndReport(ctx, note.Path, data, from, said)
}
