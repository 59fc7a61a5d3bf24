package conversation

import "time"

// passed is how long after an event it is, by the clock on the wall, which goes on while the
// machine sleeps. An event that lies in the future, as a clock went back since, is now.
func passed(event, now time.Time) time.Duration {
	return max(now.Round(0).Sub(event.Round(0)), 0)
}
