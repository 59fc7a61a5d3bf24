package cli

import (
	"fmt"

	"chatvault/internal/smarthole"
)

// statusText is how a connection stands, in a line for a log.
func statusText(s smarthole.Status) string {
	if s.Reason == "" {
		return fmt.Sprintf("SmartHole: %s", s.State)
	}
	return fmt.Sprintf("SmartHole: %s (%s)", s.State, s.Reason)
}
