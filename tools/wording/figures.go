package wording

import (
	"fmt"
	"time"

	"chatvault/internal/text"
)

// SizeText is a number of bytes for people: "156 bytes", "2.4 KB" (1,024 bytes to the KB).
func SizeText(n int64) string {
	if n < 1024 {
		return text.Count(int(n), "byte")
	}
	size := float64(n)
	for _, unit := range []string{"KB", "MB", "GB"} {
		size /= 1024
		// 1023.96 KB would round to 1024.0 KB.
		if size < 1023.95 || unit == "GB" {
			return fmt.Sprintf("%.1f %s", size, unit)
		}
	}
	return ""
}

// ExactSize is sizeText with the exact number beside it: "2.4 KB (2,456 bytes)".
func ExactSize(n int64) string {
	if n < 1024 {
		return SizeText(n)
	}
	return fmt.Sprintf("%s (%s bytes)", SizeText(n), text.Thousands(n))
}

// MomentText is a time to the minute, in local time: "Jan 15, 2026 10:30 AM".
func MomentText(t time.Time) string { return local(t, "Jan 2, 2006 3:04 PM", "unknown") }

// DayText is a day in local time: "Feb 3, 2026".
func DayText(t time.Time) string { return local(t, "Jan 2, 2006", "unknown") }

// TimeText is a time for a program, in local time; "" where it is not known.
func TimeText(t time.Time) string { return local(t, time.RFC3339, "") }

func local(t time.Time, layout, unknown string) string {
	if t.IsZero() {
		return unknown
	}
	return t.Local().Format(layout)
}
