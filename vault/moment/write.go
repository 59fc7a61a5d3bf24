package moment

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
)

// tokens maps each token to its formatter.
var tokens = func() map[string]func(time.Time) string {
	all := maps.Clone(texts)
	for names, of := range numbers {
		for token := range strings.FieldsSeq(names) {
			all[token] = func(t time.Time) string { return number(token, of(t)) }
		}
	}
	for digits := range 9 {
		// Fractions of a second; Moment has a resolution of one millisecond.
		all[strings.Repeat("S", digits+1)] = func(t time.Time) string {
			return (padded(t.Nanosecond()/int(time.Millisecond), 3) + "000000")[:digits+1]
		}
	}
	return all
}()

// numbers are the numeric tokens; number formats their values.
var numbers = map[string]func(t time.Time) int{
	"M Mo MM":          func(t time.Time) int { return int(t.Month()) },
	"Q Qo":             func(t time.Time) int { return (int(t.Month()) + 2) / 3 },
	"D Do DD":          time.Time.Day,
	"DDDo":             time.Time.YearDay,
	"d do e":           func(t time.Time) int { return int(t.Weekday()) }, // the English week begins on Sunday
	"E":                func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 },
	"w wo ww":          func(t time.Time) int { return (saturday(t).YearDay()-1)/7 + 1 },
	"gg":               func(t time.Time) int { return saturday(t).Year() % 100 },
	"gggg ggggg":       func(t time.Time) int { return saturday(t).Year() },
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

// texts are the remaining tokens.
var texts = map[string]func(t time.Time) string{
	"MMM":    func(t time.Time) string { return t.Month().String()[:3] },
	"MMMM":   func(t time.Time) string { return t.Month().String() },
	"DDD":    func(t time.Time) string { return strconv.Itoa(t.YearDay()) },
	"DDDD":   func(t time.Time) string { return padded(t.YearDay(), 3) },
	"dd":     func(t time.Time) string { return t.Weekday().String()[:2] },
	"ddd":    func(t time.Time) string { return t.Weekday().String()[:3] },
	"dddd":   func(t time.Time) string { return t.Weekday().String() },
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

// saturday returns the last day of t's week, which begins on Sunday and belongs to the year of that day: week 1
// contains January 1.
func saturday(t time.Time) time.Time { return t.AddDate(0, 0, 6-int(t.Weekday())) }

func isoWeek(t time.Time) int {
	_, week := t.ISOWeek()
	return week
}

func isoYear(t time.Time) int {
	year, _ := t.ISOWeek()
	return year
}

// number formats n for a token: "w" is plain, "ww" padded, "wo" ordinal.
func number(token string, n int) string {
	switch {
	case len(token) == 1:
		return strconv.Itoa(n)
	case strings.HasSuffix(token, "o"):
		return ordinal(n)
	}
	return padded(n, len(token))
}

func padded(n, width int) string { return fmt.Sprintf("%0*d", width, n) }

// ordinal formats n as 1st, 2nd, 3rd, 4th.
func ordinal(n int) string {
	suffix := "th"
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
