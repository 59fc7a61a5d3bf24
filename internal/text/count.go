package text

import (
	"strconv"
	"strings"
)

// Thousands writes a number with commas between its thousands: "1,234,567".
func Thousands[N int | int64](n N) string {
	digits, sign := strconv.FormatInt(int64(n), 10), ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Count is a number with its noun: "1 note", "2,000 notes", "0 matches".
func Count(n int, noun string) string { return Thousands(n) + " " + Plural(n, noun) }

// Plural is a noun as it stands after a number: "note", "notes", "matches", "properties".
func Plural(n int, noun string) string {
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case n == 1:
		return noun
	case y && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") && !strings.HasSuffix(stem, "o"):
		return stem + "ies"
	case strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"), strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"):
		return noun + "es"
	}
	return noun + "s"
}

// AtLeast compares a version, "1.2.3" and whatever follows, number by number.
func AtLeast(version string, least ...int) bool {
	parts := strings.Split(version, ".")
	for i, want := range least {
		if i >= len(parts) {
			return want == 0
		}
		digits := parts[i]
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = digits[:end] // 3.4a
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n != want {
			return err == nil && n > want
		}
	}
	return true
}
