// Package lazyregexp compiles regular expressions when they are first used: a process that starts
// pays nothing for those it never asks.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New gives expr compiled, once, when it is first called for; it panics then where expr is wrong. It
// is safe for concurrent use. Inlined, it would make the program larger.
//
//go:noinline
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
