package pathname

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shortForm is the form of the names in eight and three characters that Windows may give a file
// beside its own.
var shortForm = regexp.MustCompile(`^[^.]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?$`)

// windowsFault says how Windows would take a name that exists for another one, or for no file at all;
// "" where it is what it looks like. By such a name a file could be reached that is private under its
// own.
func windowsFault(name string) string {
	last, _ := utf8.DecodeLastRuneInString(name)
	switch {
	case strings.ContainsRune(name, ':'):
		return "a colon, which on Windows names a drive or a hidden stream of a file"
	case strings.ContainsRune(name, '\\'):
		return "a backslash, which separates folders on Windows"
	case last == '.' || unicode.IsSpace(last):
		return "a dot or a space at the end, which Windows drops"
	case deviceName(name):
		return "a name that Windows reserves for a device"
	case shortForm.MatchString(name):
		return "the form of a short name, which Windows resolves to another file"
	}
	return ""
}
