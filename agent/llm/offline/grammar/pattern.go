package grammar

import (
	"regexp"
	"strings"
	"sync"
)

// expression is a regular expression that is compiled when it is first used, so that a program
// that parses nothing pays nothing for the grammar.
type expression struct {
	source string
	once   sync.Once
	re     *regexp.Regexp
}

var expressions sync.Map // by source

// pattern returns the case-ignoring expression of s, with these words filled in: <NOTE> a word
// for a note, <FOLDER> a word for a folder. The same source is compiled once.
func pattern(s string) *expression {
	e, _ := expressions.LoadOrStore(s, &expression{source: s})
	return e.(*expression)
}

var patternWords = strings.NewReplacer(
	"<NOTE>", `(?:notes?|files?|pages?|docs?|documents?)`,
	"<FOLDER>", `(?:folder|directory|dir)`,
)

func (e *expression) get() *regexp.Regexp {
	e.once.Do(func() { e.re = regexp.MustCompile(`(?is)` + patternWords.Replace(e.source)) })
	return e.re
}

func (e *expression) MatchString(s string) bool            { return e.get().MatchString(s) }
func (e *expression) FindStringIndex(s string) []int       { return e.get().FindStringIndex(s) }
func (e *expression) FindStringSubmatch(s string) []string { return e.get().FindStringSubmatch(s) }
func (e *expression) FindStringSubmatchIndex(s string) []int {
	return e.get().FindStringSubmatchIndex(s)
}

func (e *expression) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return e.get().FindAllStringSubmatchIndex(s, n)
}

func (e *expression) ReplaceAllString(s, with string) string {
	return e.get().ReplaceAllString(s, with)
}
