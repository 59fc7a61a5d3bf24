package moment

import (
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"chatvault/internal/base/lazyregexp"
)

// Locale has the names and formats of a language, and how its weeks are counted: the first day of the week is Dow, 0
// for Sunday, and 7 + Dow - Doy is the day in January that is always in week 1.
type Locale struct {
	Months            []string          `json:"months"`
	MonthsShort       []string          `json:"monthsShort"`
	MonthsInDate      []string          `json:"monthsInDate"` // after a day: "1 ноября"; empty if they do not differ
	MonthsShortInDate []string          `json:"monthsShortInDate"`
	Weekdays          []string          `json:"weekdays"`
	WeekdaysShort     []string          `json:"weekdaysShort"`
	WeekdaysMin       []string          `json:"weekdaysMin"`
	Ordinals          []string          `json:"ordinals"` // of 1 to 31, or the suffix of all
	Formats           map[string]string `json:"formats"`  // "LL"
	Dow               int               `json:"dow"`
	Doy               int               `json:"doy"`
}

// localesFile has the locales as Moment 2.29.4 formats them.
//
//go:embed locales.json
var localesFile []byte

var locales = sync.OnceValue(func() (all map[string]Locale) {
	_ = json.Unmarshal(localesFile, &all) // a test reads it
	return all
})

// LocaleOf returns the locale of a tag such as "de", "pt-BR" or "de_DE.UTF-8", else that of its language, else English.
func LocaleOf(tag string) *Locale {
	tag, _, _ = strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), ".")
	language, _, _ := strings.Cut(tag, "-")
	for _, name := range []string{tag, map[string]string{"no": "nb", "zh": "zh-cn"}[language], language} {
		if l, ok := locales()[name]; ok {
			return &l
		}
	}
	l := locales()["en"]
	return &l
}

// dayThenMonth matches formats in which the month follows a day.
var dayThenMonth = lazyregexp.New(`D[oD]?(\[[^\[\]]*\]|\s)+MMMM?`)

// name formats the tokens of names.
func (l *Locale) name(token, format string, t time.Time) string {
	inDate := dayThenMonth().MatchString(format)
	switch {
	case token == "MMMM" && inDate && len(l.MonthsInDate) > 0:
		return l.MonthsInDate[t.Month()-1]
	case token == "MMMM":
		return l.Months[t.Month()-1]
	case token == "MMM" && inDate && len(l.MonthsShortInDate) > 0:
		return l.MonthsShortInDate[t.Month()-1]
	case token == "MMM":
		return l.MonthsShort[t.Month()-1]
	}
	return [][]string{l.WeekdaysMin, l.WeekdaysShort, l.Weekdays}[len(token)-2][t.Weekday()]
}

// shorter turns a format into the one of the same token in lower case.
var shorter = strings.NewReplacer("MMMM", "MMM", "MM", "M", "DD", "D", "dddd", "ddd")

// number formats n for a token: "w" is plain, "ww" padded, "wo" ordinal.
func (l *Locale) number(token string, n int) string {
	switch {
	case len(token) == 1:
		return strconv.Itoa(n)
	case !strings.HasSuffix(token, "o"):
		return padded(n, len(token))
	case len(l.Ordinals) == 1:
		return strconv.Itoa(n) + l.Ordinals[0]
	case 0 < n && n <= len(l.Ordinals):
		return l.Ordinals[n-1]
	}
	like := n % 100 // 111 as 11, 53 as 23
	if like == 0 || like > len(l.Ordinals) {
		like = 20 + n%10
	}
	return strconv.Itoa(n) + strings.TrimLeft(l.Ordinals[like-1], "0123456789")
}

// week returns the week of a day and the year to which it belongs.
func (l *Locale) week(t time.Time) (year, week int) {
	start := func(day time.Time) time.Time { return day.AddDate(0, 0, -(int(day.Weekday())-l.Dow+7)%7) }
	first := func(year int) time.Time { return start(time.Date(year, 1, 7+l.Dow-l.Doy, 0, 0, 0, 0, time.UTC)) }
	begin := start(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC))
	year = t.Year() + 1
	for begin.Before(first(year)) {
		year--
	}
	return year, int(begin.Sub(first(year)).Hours())/(24*7) + 1
}
