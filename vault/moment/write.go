package moment

import (
	"fmt"
	"strconv"
	"time"
)

// write is what a token stands for at t.
func write(token string, t time.Time) string {
	switch token[0] {
	case 'M', 'Q', 'D', 'd', 'e', 'E':
		return writeDay(token, t)
	case 'w', 'W', 'Y', 'y', 'N', 'g', 'G':
		return writeYear(token, t)
	default:
		return writeClock(token, t)
	}
}

func writeDay(token string, t time.Time) string {
	month, weekday := int(t.Month()), int(t.Weekday())
	switch token {
	case "M":
		return strconv.Itoa(month)
	case "Mo":
		return ordinal(month)
	case "MM":
		return padded(month, 2)
	case "MMM":
		return t.Month().String()[:3]
	case "MMMM":
		return t.Month().String()
	case "Q":
		return strconv.Itoa((month + 2) / 3)
	case "Qo":
		return ordinal((month + 2) / 3)
	case "D":
		return strconv.Itoa(t.Day())
	case "Do":
		return ordinal(t.Day())
	case "DD":
		return padded(t.Day(), 2)
	case "DDD":
		return strconv.Itoa(t.YearDay())
	case "DDDo":
		return ordinal(t.YearDay())
	case "DDDD":
		return padded(t.YearDay(), 3)
	case "d", "e": // the English week begins on Sunday
		return strconv.Itoa(weekday)
	case "do":
		return ordinal(weekday)
	case "dd":
		return t.Weekday().String()[:2]
	case "ddd":
		return t.Weekday().String()[:3]
	case "dddd":
		return t.Weekday().String()
	default: // "E"
		return strconv.Itoa((weekday+6)%7 + 1)
	}
}

func writeYear(token string, t time.Time) string {
	switch token {
	case "w", "wo", "ww":
		_, week := englishWeek(t)
		return number(token, week)
	case "W", "Wo", "WW":
		_, week := t.ISOWeek()
		return number(token, week)
	case "gg":
		year, _ := englishWeek(t)
		return padded(year%100, 2)
	case "gggg", "ggggg":
		year, _ := englishWeek(t)
		return padded(year, len(token))
	case "GG":
		year, _ := t.ISOWeek()
		return padded(year%100, 2)
	case "GGGG", "GGGGG":
		year, _ := t.ISOWeek()
		return padded(year, len(token))
	case "YY":
		return padded(t.Year()%100, 2)
	case "YYYY", "YYYYY":
		return padded(t.Year(), len(token))
	case "YYYYYY":
		return "+" + padded(t.Year(), 6)
	case "Y":
		if t.Year() > 9999 {
			return "+" + strconv.Itoa(t.Year())
		}
		return padded(t.Year(), 4)
	case "y":
		return strconv.Itoa(t.Year())
	case "yo":
		return ordinal(t.Year())
	case "yy", "yyy", "yyyy":
		return padded(t.Year(), len(token))
	case "NNNN":
		return "Anno Domini"
	default: // "N", "NN", "NNN", "NNNNN"
		return "AD"
	}
}

func writeClock(token string, t time.Time) string {
	switch token {
	case "A":
		return t.Format("PM")
	case "a":
		return t.Format("pm")
	case "H", "HH":
		return number(token, t.Hour())
	case "h", "hh":
		return number(token, (t.Hour()+11)%12+1)
	case "Hmm", "Hmmss":
		return strconv.Itoa(t.Hour()) + t.Format("0405")[:len(token)-1]
	case "hmm", "hmmss":
		return strconv.Itoa((t.Hour()+11)%12+1) + t.Format("0405")[:len(token)-1]
	case "k", "kk":
		return number(token, (t.Hour()+23)%24+1)
	case "m", "mm":
		return number(token, t.Minute())
	case "s", "ss":
		return number(token, t.Second())
	case "X":
		return strconv.FormatInt(t.Unix(), 10)
	case "x":
		return strconv.FormatInt(t.UnixMilli(), 10)
	case "Z":
		return t.Format("-07:00")
	case "ZZ":
		return t.Format("-0700")
	case "z", "zz": // Moment knows a zone's name only of UTC
		if t.Location() == time.UTC {
			return map[string]string{"z": "UTC", "zz": "Coordinated Universal Time"}[token]
		}
		return ""
	}
	// Fractions of a second, which Moment knows to the millisecond.
	digits := padded(t.Nanosecond()/int(time.Millisecond), 3) + "000000"
	return digits[:len(token)]
}

// englishWeek is the week of the year as counted where it begins on Sunday and the first holds
// the first of January, and the year that week belongs to: that of its Saturday.
func englishWeek(t time.Time) (year, week int) {
	saturday := t.AddDate(0, 0, 6-int(t.Weekday()))
	return saturday.Year(), (saturday.YearDay()-1)/7 + 1
}

// number writes n as a token of one or two letters has it: "w", "ww", "wo".
func number(token string, n int) string {
	switch {
	case len(token) == 1:
		return strconv.Itoa(n)
	case token[1] == 'o':
		return ordinal(n)
	}
	return padded(n, len(token))
}

func padded(n, width int) string { return fmt.Sprintf("%0*d", width, n) }

// ordinal is 1st, 2nd, 3rd, 4th.
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
