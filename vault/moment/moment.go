// Package moment writes times in the format strings that Obsidian takes over from Moment.js:
// "YYYY-MM-DD", "gggg-[W]ww", "dddd, MMMM Do YYYY". It promises to know every display token that
// Moment 2 documents, and to write what Moment writes in its English locale; text it does not
// know is written as it stands. It is pure.
//
// Tokens are those of https://momentjs.com/docs/#/displaying/format/.
package moment

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Format writes t, in its own location, as the format says. [Brackets] enclose text that is
// written as it is, and a backslash does so for the token after it.
func Format(format string, t time.Time) string {
	var out strings.Builder
	for format = expand(format); format != ""; {
		p := next(format)
		format = format[p.width:]
		if p.token == "" {
			out.WriteString(p.literal)
		} else {
			out.WriteString(tokens[p.token](t))
		}
	}
	return out.String()
}

// piece is the beginning of a format: a token, or text to be written as it is.
type piece struct {
	token   string
	literal string
	width   int // bytes of the format
}

// next is the piece a format, which is not empty, begins with.
func next(format string) piece {
	if text, width, ok := bracketed(format); ok {
		return piece{literal: text, width: width}
	}
	if format[0] == '\\' {
		rest := format[1:]
		if rest == "" {
			return piece{width: 1}
		}
		n := len(longest(tokens, rest))
		if n == 0 {
			_, n = utf8.DecodeRuneInString(rest)
		}
		return piece{literal: strings.ReplaceAll(rest[:n], `\`, ""), width: 1 + n}
	}
	if token := longest(tokens, format); token != "" {
		return piece{token: token, width: len(token)}
	}
	_, n := utf8.DecodeRuneInString(format)
	return piece{literal: format[:n], width: n}
}

// bracketed is the text in the brackets a format begins with. They reach to the last "]" before
// another "[".
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

// longest is the longest key of a table that a format begins with; "": with none.
func longest[V any](table map[string]V, format string) string {
	for n := min(len(format), len("SSSSSSSSS")); n > 0; n-- {
		if _, ok := table[format[:n]]; ok {
			return format[:n]
		}
	}
	return ""
}

// localised are the formats of the English locale that a token stands for.
var localised = map[string]string{
	"LTS":  "h:mm:ss A",
	"LT":   "h:mm A",
	"LLLL": "dddd, MMMM D, YYYY h:mm A",
	"LLL":  "MMMM D, YYYY h:mm A",
	"LL":   "MMMM D, YYYY",
	"L":    "MM/DD/YYYY",
	"llll": "ddd, MMM D, YYYY h:mm A",
	"lll":  "MMM D, YYYY h:mm A",
	"ll":   "MMM D, YYYY",
	"l":    "M/D/YYYY",
}

// expand puts in the formats that LT, LLLL and their like stand for.
func expand(format string) string {
	if !strings.ContainsAny(format, "Ll") {
		return format
	}
	var out strings.Builder
	for format != "" {
		if _, width, ok := bracketed(format); ok {
			out.WriteString(format[:width])
			format = format[width:]
			continue
		}
		rest := strings.TrimPrefix(format, `\`)
		if token := longest(localised, rest); token != "" {
			if len(rest) < len(format) { // the backslash keeps it
				out.WriteString(`\` + token)
			} else {
				out.WriteString(localised[token])
			}
			format = rest[len(token):]
			continue
		}
		_, n := utf8.DecodeRuneInString(format)
		out.WriteString(format[:n])
		format = format[n:]
	}
	return out.String()
}
