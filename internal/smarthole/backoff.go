package smarthole

import "time"

// reconnectDelay is how long to wait before the attempt after this many failed ones, 1 or more.
func reconnectDelay(failed int) time.Duration {
	if failed > 5 {
		return 30 * time.Second
	}
	return time.Second << max(failed-1, 0)
}
