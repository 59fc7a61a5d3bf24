package openai

import (
	"regexp"
	"sync"
)

// lazy compiles an expression when it is first used: most processes never do.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
