package grammar

import (
	"regexp"
	"strings"
	"sync"
)

// expression gives a regular expression, compiled when it is first called for.
type expression = func() *regexp.Regexp

// pattern is the case-ignoring expression of s, with these words filled in: <NOTE> a word for a note,
// <FOLDER> a word for a folder. Inlined, it would make the program 130 kB larger.
//
//go:noinline
func pattern(s string) expression {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)` + patternWords.Replace(s)) })
}

var patternWords = strings.NewReplacer(
	"<NOTE>", `(?:notes?|files?|pages?|docs?|documents?)`,
	"<FOLDER>", `(?:folder|directory|dir)`,
)
