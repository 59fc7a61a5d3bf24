// Package moment formats times with the format strings that Obsidian adopted from Moment.js, such as "YYYY-MM-DD",
// "gggg-[W]ww" and "dddd, MMMM Do YYYY". It supports the display tokens that Moment 2 documents
// (https://momentjs.com/docs/#/displaying/format/) except fractions of a second, eras, the names of time zones and years
// of more than four digits, with the output of Moment's locales. Text that is not a token is copied unchanged.
package moment

import (
	"strings"
	"time"

	"chatvault/internal/base/lazyregexp"
)

// piece matches a text in brackets, a token, which a backslash escapes, or any other character.
var piece = lazyregexp.New(`\[[^\[]*\]|\\?(?:Mo|M{1,4}|Do|DDDo|D{1,4}|ddd?d?|do?|w[ow]?|W[oW]?|Qo?|YYYY|YY|Y|yyyy|y|gg(?:gg)?|GG(?:GG)?|e|E|a|A|hh?|HH?|kk?|mm?|ss?|X|ZZ?|LTS|LT|L{1,4}|l{1,4}|.)`)

// Format formats t in its own location. Text in [brackets] is copied, and a backslash escapes the token after it.
func (l *Locale) Format(format string, t time.Time) string {
	return piece().ReplaceAllStringFunc(format, func(p string) string {
		switch of, layout := numbers[p], layouts[p]; {
		case of != nil:
			return l.number(p, of(l, t))
		case layout != "":
			return strings.TrimSpace(t.Format(layout))
		case p != "o" && locales()["en"].Names[p] != nil:
			return l.name(p, format, t)
		case p[0] == '[' && len(p) > 1:
			return p[1 : len(p)-1]
		}
		return strings.ReplaceAll(p, `\`, "")
	})
}
