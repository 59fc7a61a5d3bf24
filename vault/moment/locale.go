package moment

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Locale is a language and how its weeks are counted: the first day of the week is Dow, 0 for Sunday, and 7 + Dow - Doy
// is the day in January that is always in week 1.
type Locale struct {
	// Names are the names of months and weekdays by their tokens, those of months after a day by "D MMMM"; the formats
	// by "LL"; and by "o" the ordinals of 1 to 31 or the suffix of all.
	Names    map[string][]string `json:"names"`
	Dow, Doy int
	AfterDay string // matches the formats with months after a day; empty means dayThenMonth
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

// Locales returns all locales, those with the most speakers among people with notes first.
func Locales() (all []*Locale) {
	for _, tag := range append(strings.Fields("en de fr es pt-br it nl pl ru zh-cn ja ko"), slices.Sorted(maps.Keys(locales()))...) {
		all = append(all, LocaleOf(tag))
	}
	return all
}

// dayThenMonth matches formats in which the month follows a day.
const dayThenMonth = `D[oD]?(\[[^\[\]]*\]|\s)+MMMM?`

// name formats a token of Names.
func (l *Locale) name(token, format string, t time.Time) string {
	list := l.Names[token]
	switch {
	case len(list) == 1:
		return l.Format(list[0], t)
	case token[0] == 'd':
		return list[t.Weekday()]
	case l.Names["D "+token] != nil && regexp.MustCompile(cmp.Or(l.AfterDay, dayThenMonth)).MatchString(format):
		list = l.Names["D "+token]
	}
	return list[t.Month()-1]
}

// number formats n for a token: "w" is plain, "ww" padded, "wo" ordinal.
func (l *Locale) number(token string, n int) string {
	ordinals := l.Names["o"]
	switch {
	case len(token) == 1:
		return strconv.Itoa(n)
	case !strings.HasSuffix(token, "o"):
		return padded(n, len(token))
	case len(ordinals) == 1:
		return strconv.Itoa(n) + ordinals[0]
	case 0 < n && n <= len(ordinals):
		return ordinals[n-1]
	}
	like := n % 100 // 111 as 11, 53 as 23
	if like == 0 || like > len(ordinals) {
		like = 20 + n%10
	}
	return strconv.Itoa(n) + strings.TrimLeft(ordinals[like-1], "0123456789")
}

// weekStart returns the first day of a week, midnight UTC.
func (l *Locale) weekStart(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day()-(int(t.Weekday())-l.Dow+7)%7, 0, 0, 0, 0, time.UTC)
}

// firstWeek returns the first day of week 1 of a year.
func (l *Locale) firstWeek(year int) time.Time {
	return l.weekStart(time.Date(year, 1, 7+l.Dow-l.Doy, 0, 0, 0, 0, time.UTC))
}

// weekYear returns the year to which the week of a day belongs.
func (l *Locale) weekYear(t time.Time) int {
	year := t.Year() + 1
	for l.weekStart(t).Before(l.firstWeek(year)) {
		year--
	}
	return year
}

// weekNumber returns the week of a day in that year.
func (l *Locale) weekNumber(t time.Time) int {
	return int(l.weekStart(t).Sub(l.firstWeek(l.weekYear(t))).Hours())/(24*7) + 1
}
