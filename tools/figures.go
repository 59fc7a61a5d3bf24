package tools

import (
	"fmt"
	"time"

	"chatvault/internal/text"
)

// sizeText is a number of bytes for people: "156 bytes", "2.4 KB" (1,024 bytes to the KB).
func sizeText(n int64) string {
	if n < 1024 {
		return counted(int(n), "byte")
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

// exactSize is sizeText with the exact number beside it: "2.4 KB (2,456 bytes)".
func exactSize(n int64) string {
	if n < 1024 {
		return sizeText(n)
	}
	return fmt.Sprintf("%s (%s bytes)", sizeText(n), text.Thousands(n))
}

// counted is a number with its noun: "1 line", "2,000 lines".
func counted(n int, noun string) string { return text.Count(n, noun) }

// momentText is a time to the minute, in local time: "Jan 15, 2026 10:30 AM".
func momentText(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.Local().Format("Jan 2, 2006 3:04 PM")
}

// dayText is a day in local time: "Feb 3, 2026".
func dayText(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.Local().Format("Jan 2, 2006")
}
