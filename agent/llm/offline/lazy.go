package offline

import (
	"regexp"
	"sync"
)

// lazy is a regular expression that is compiled when it is first used, so that a program that
// starts without asking the engine anything pays nothing for it.
func lazy(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}
