// Package moment formats times with the format strings that Obsidian adopted from Moment.js, such as "YYYY-MM-DD",
// "gggg-[W]ww" and "dddd, MMMM Do YYYY". It supports every display token that Moment 2 documents
// (https://momentjs.com/docs/#/displaying/format/), with the output of Moment's locales. Text that is not a
// token is copied unchanged.
package moment

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Format formats t in its own location. Text in [brackets] is copied, and a backslash escapes the token after it.
func (l *Locale) Format(format string, t time.Time) string {
	var out strings.Builder
	for rest := format; rest != ""; {
		p := next(rest)
		rest = rest[p.width:]
		switch of := tokens[p.token]; {
		case p.token == "":
			out.WriteString(p.literal)
		case of != nil:
			out.WriteString(of(l, t))
		default:
			out.WriteString(l.name(p.token, format, t))
		}
	}
	return out.String()
}

// piece is the start of a format: a token or literal text.
type piece struct {
	token   string
	literal string
	width   int // length in the format, in bytes
}

// next returns the first piece of a non-empty format.
func next(format string) piece {
	if text, width, ok := bracketed(format); ok {
		return piece{literal: text, width: width}
	}
	if format[0] == '\\' {
		rest := format[1:]
		if rest == "" {
			return piece{width: 1}
		}
		n := len(longest(rest))
		if n == 0 {
			_, n = utf8.DecodeRuneInString(rest)
		}
		return piece{literal: strings.ReplaceAll(rest[:n], `\`, ""), width: 1 + n}
	}
	if token := longest(format); token != "" {
		return piece{token: token, width: len(token)}
	}
	_, n := utf8.DecodeRuneInString(format)
	return piece{literal: format[:n], width: n}
}

// bracketed returns the text in the brackets that the format begins with. They extend to the last "]" before another
// "[".
func bracketed(format string) (text string, width int, ok bool) {
	if format[0] != '[' {
		return "", 0, false
	}
	reach := format
	if i := strings.IndexByte(format[1:], '['); i >= 0 {
		reach = format[:1+i]
	}
	end := strings.LastIndexByte(reach, ']')
	if end < 0 {
		return "", 0, false
	}
	return format[1:end], end + 1, true
}

// longest returns the longest token that the format begins with, or "" if there is none.
func longest(format string) string {
	for n := min(len(format), len("SSSSSSSSS")); n > 0; n-- {
		if tokens[format[:n]] != nil || locales()["en"].Names[format[:n]] != nil && format[n-1] != 'o' {
			return format[:n]
		}
	}
	return ""
}
