package tools

import (
	"fmt"
	"strings"

	"chatvault/internal/text"
)

// limits are the arguments of a call that were over their maximum, for the result to say.
type limits []string

// take is asked, or most where it is over it.
func (l *limits) take(argument string, asked, most int) int {
	if asked <= most {
		return asked
	}
	*l = append(*l, fmt.Sprintf("%s %s is over the maximum; %s was used", argument, text.Thousands(asked), text.Thousands(most)))
	return most
}

// note is a last line of a result that says so, or "".
func (l limits) note() string {
	if len(l) == 0 {
		return ""
	}
	return "\n\n[" + strings.Join(l, "; ") + "]"
}
