// Package lazyregexp compiles regular expressions at their first use, to keep the start of a process fast.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles expr at the first call, and panics if it is invalid. It is safe for concurrent use.
// Inlining would make the program larger.
//
//go:noinline
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
