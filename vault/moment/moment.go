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
			out.WriteString(write(p.token, t))
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
		n := tokenWidth(rest)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(rest)
		}
		return piece{literal: strings.ReplaceAll(rest[:n], `\`, ""), width: 1 + n}
	}
	if n := tokenWidth(format); n > 0 {
		return piece{token: format[:n], width: n}
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

// tokens are the tokens that begin with a letter, the longest first, as Moment looks for them.
var tokens = map[byte][]string{
	'M': {"MMMM", "MMM", "MM", "Mo", "M"},
	'Q': {"Qo", "Q"},
	'D': {"DDDD", "DDDo", "DDD", "DD", "Do", "D"},
	'd': {"dddd", "ddd", "dd", "do", "d"},
	'e': {"e"},
	'E': {"E"},
	'w': {"ww", "wo", "w"},
	'W': {"WW", "Wo", "W"},
	'Y': {"YYYYYY", "YYYYY", "YYYY", "YY", "Y"},
	'y': {"yyyy", "yyy", "yy", "yo", "y"},
	'N': {"NNNNN", "NNNN", "NNN", "NN", "N"},
	'g': {"ggggg", "gggg", "gg"},
	'G': {"GGGGG", "GGGG", "GG"},
	'A': {"A"},
	'a': {"a"},
	'H': {"Hmmss", "Hmm", "HH", "H"},
	'h': {"hmmss", "hmm", "hh", "h"},
	'k': {"kk", "k"},
	'm': {"mm", "m"},
	's': {"ss", "s"},
	'S': {"SSSSSSSSS", "SSSSSSSS", "SSSSSSS", "SSSSSS", "SSSSS", "SSSS", "SSS", "SS", "S"},
	'z': {"zz", "z"},
	'Z': {"ZZ", "Z"},
	'X': {"X"},
	'x': {"x"},
}

// tokenWidth is the length of the token a format begins with, 0 where it begins with none.
func tokenWidth(format string) int {
	for _, token := range tokens[format[0]] {
		if strings.HasPrefix(format, token) {
			return len(token)
		}
	}
	return 0
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

var (
	upperLocalised = []string{"LTS", "LT", "LLLL", "LLL", "LL", "L"}
	lowerLocalised = []string{"llll", "lll", "ll", "l"}
)

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
		if token := localToken(rest); token != "" {
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

func localToken(format string) string {
	list := upperLocalised
	if strings.HasPrefix(format, "l") {
		list = lowerLocalised
	}
	for _, token := range list {
		if strings.HasPrefix(format, token) {
			return token
		}
	}
	return ""
}
