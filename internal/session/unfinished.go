package session

import (
	"fmt"
	"strings"
)

// begun says whether work on a message began.
func (u Unfinished) Begun() bool { return u.Attempts > 0 || u.LastError != "" || u.ToolsRan }

// did says what the message's turns are known to have changed.
func (u Unfinished) Did() string {
	if len(u.Changes) == 0 {
		return "A note may have been changed as it ended: look before you try it."
	}
	const shown = 3
	done := strings.Join(u.Changes[:min(len(u.Changes), shown)], ", ")
	if more := len(u.Changes) - shown; more > 0 {
		done += fmt.Sprintf(" and %d more", more)
	}
	return "It had " + done + " by then: that is not done again."
}
