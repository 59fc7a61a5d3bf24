package moment

import (
	"fmt"
	"strings"
	"time"
)

// iso counts the weeks of ISO 8601.
var iso = &Locale{Dow: 1, Doy: 4}

// numbers maps each numeric token to the function that returns its value.
var numbers = func() map[string]func(*Locale, time.Time) int {
	all := map[string]func(*Locale, time.Time) int{}
	for names, of := range map[string]func(l *Locale, t time.Time) int{
		"M Mo MM":       func(_ *Locale, t time.Time) int { return int(t.Month()) },
		"Q Qo":          func(_ *Locale, t time.Time) int { return (int(t.Month()) + 2) / 3 },
		"D Do DD":       func(_ *Locale, t time.Time) int { return t.Day() },
		"DDDo":          func(_ *Locale, t time.Time) int { return t.YearDay() },
		"d do":          func(_ *Locale, t time.Time) int { return int(t.Weekday()) },
		"e":             func(l *Locale, t time.Time) int { return (int(t.Weekday()) - l.Dow + 7) % 7 },
		"E":             func(_ *Locale, t time.Time) int { return (int(t.Weekday())+6)%7 + 1 },
		"w wo ww":       func(l *Locale, t time.Time) int { return l.weekNumber(t) },
		"W Wo WW":       func(_ *Locale, t time.Time) int { return iso.weekNumber(t) },
		"gg":            func(l *Locale, t time.Time) int { return l.weekYear(t) % 100 },
		"gggg":          func(l *Locale, t time.Time) int { return l.weekYear(t) },
		"GG":            func(_ *Locale, t time.Time) int { return iso.weekYear(t) % 100 },
		"GGGG":          func(_ *Locale, t time.Time) int { return iso.weekYear(t) },
		"YY":            func(_ *Locale, t time.Time) int { return t.Year() % 100 },
		"YYYY Y y yyyy": func(_ *Locale, t time.Time) int { return t.Year() },
		"H HH":          func(_ *Locale, t time.Time) int { return t.Hour() },
		"h hh":          func(_ *Locale, t time.Time) int { return (t.Hour()+11)%12 + 1 },
		"k kk":          func(_ *Locale, t time.Time) int { return (t.Hour()+23)%24 + 1 },
		"m mm":          func(_ *Locale, t time.Time) int { return t.Minute() },
		"s ss":          func(_ *Locale, t time.Time) int { return t.Second() },
		"X":             func(_ *Locale, t time.Time) int { return int(t.Unix()) },
	} {
		for token := range strings.FieldsSeq(names) {
			all[token] = of
		}
	}
	return all
}()

// layouts maps the tokens that package time formats to its layouts.
var layouts = map[string]string{"DDD": "__2", "DDDD": "002", "A": "PM", "a": "pm", "Z": "-07:00", "ZZ": "-0700"}

func padded(n, width int) string { return fmt.Sprintf("%0*d", width, n) }
