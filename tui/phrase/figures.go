package phrase

import (
	"fmt"

	"chatvault/internal/text"
)

// Count is a number of things.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return text.Thousands(n) + " " + many
}

// Bytes is a size as one says it: "812 B", "2.4 KB", "3.1 MB".
func Bytes(n int64) string {
	const unit = 1024
	switch {
	case n < unit:
		return fmt.Sprintf("%d B", n)
	case n < unit*unit:
		return fmt.Sprintf("%.1f KB", float64(n)/unit)
	case n < unit*unit*unit:
		return fmt.Sprintf("%.1f MB", float64(n)/(unit*unit))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(unit*unit*unit))
}
