package moment

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// tokens maps each token to its formatter.
var tokens = func() map[string]func(*Locale, time.Time) string {
	all := map[string]func(*Locale, time.Time) string{}
	for token, of := range texts {
		all[token] = func(_ *Locale, t time.Time) string { return of(t) }
	}
	for names, of := range numbers {
		for token := range strings.FieldsSeq(names) {
			all[token] = func(l *Locale, t time.Time) string { return l.number(token, of(t)) }
		}
	}
	for names, of := range weeks {
		for token := range strings.FieldsSeq(names) {
			all[token] = func(l *Locale, t time.Time) string { return l.number(token, of(l, t)) }
		}
	}
	for digits := range 9 {
		// Fractions of a second; Moment has a resolution of one millisecond.
		all[strings.Repeat("S", digits+1)] = func(_ *Locale, t time.Time) string {
			return (padded(t.Nanosecond()/int(time.Millisecond), 3) + "000000")[:digits+1]
		}
	}
	return all
}()

// weeks are the numeric tokens that depend on the first day of the week.
var weeks = map[string]func(*Locale, time.Time) int{
	"e":          func(l *Locale, t time.Time) int { return (int(t.Weekday()) - l.Dow + 7) % 7 },
	"w wo ww":    func(l *Locale, t time.Time) int { _, week := l.week(t); return week },
	"gg":         func(l *Locale, t time.Time) int { year, _ := l.week(t); return year % 100 },
	"gggg ggggg": func(l *Locale, t time.Time) int { year, _ := l.week(t); return year },
}

// numbers are the numeric tokens; number formats their values.
var numbers = map[string]func(t time.Time) int{
	"M Mo MM":          func(t time.Time) int { return int(t.Month()) },
	"Q Qo":             func(t time.Time) int { return (int(t.Month()) + 2) / 3 },
	"D Do DD":          time.Time.Day,
	"DDDo":             time.Time.YearDay,
	"d do":             func(t time.Time) int { return int(t.Weekday()) },
	"E":                func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 },
	"W Wo WW":          isoWeek,
	"GG":               func(t time.Time) int { return isoYear(t) % 100 },
	"GGGG GGGGG":       isoYear,
	"YY":               func(t time.Time) int { return t.Year() % 100 },
	"YYYY YYYYY":       time.Time.Year,
	"y yo yy yyy yyyy": time.Time.Year,
	"H HH":             time.Time.Hour,
	"h hh":             twelfth,
	"k kk":             func(t time.Time) int { return (t.Hour()+23)%24 + 1 },
	"m mm":             time.Time.Minute,
	"s ss":             time.Time.Second,
}

// texts are the remaining tokens without a locale.
var texts = map[string]func(t time.Time) string{
	"DDD":    func(t time.Time) string { return strconv.Itoa(t.YearDay()) },
	"DDDD":   func(t time.Time) string { return padded(t.YearDay(), 3) },
	"YYYYYY": func(t time.Time) string { return "+" + padded(t.Year(), 6) },
	"Y": func(t time.Time) string {
		if t.Year() > 9999 {
			return "+" + strconv.Itoa(t.Year())
		}
		return padded(t.Year(), 4)
	},
	"N": era, "NN": era, "NNN": era, "NNNNN": era,
	"NNNN":  func(time.Time) string { return "Anno Domini" },
	"A":     func(t time.Time) string { return t.Format("PM") },
	"a":     func(t time.Time) string { return t.Format("pm") },
	"Hmm":   func(t time.Time) string { return strconv.Itoa(t.Hour()) + t.Format("04") },
	"Hmmss": func(t time.Time) string { return strconv.Itoa(t.Hour()) + t.Format("0405") },
	"hmm":   func(t time.Time) string { return strconv.Itoa(twelfth(t)) + t.Format("04") },
	"hmmss": func(t time.Time) string { return strconv.Itoa(twelfth(t)) + t.Format("0405") },
	"X":     func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) },
	"x":     func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) },
	"Z":     func(t time.Time) string { return t.Format("-07:00") },
	"ZZ":    func(t time.Time) string { return t.Format("-0700") },
	"z":     func(t time.Time) string { return zone(t, "UTC") },
	"zz":    func(t time.Time) string { return zone(t, "Coordinated Universal Time") },
}

func era(time.Time) string { return "AD" }

// twelfth returns the hour on a 12-hour clock.
func twelfth(t time.Time) int { return (t.Hour()+11)%12 + 1 }

// zone returns the name of the time zone. Moment knows only that of UTC; for others it is "".
func zone(t time.Time, utc string) string {
	if t.Location() == time.UTC {
		return utc
	}
	return ""
}

func isoWeek(t time.Time) int {
	_, week := t.ISOWeek()
	return week
}

func isoYear(t time.Time) int {
	year, _ := t.ISOWeek()
	return year
}

func padded(n, width int) string { return fmt.Sprintf("%0*d", width, n) }
