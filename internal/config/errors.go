package config

import (
	"fmt"
	"strings"

	"chatvault/internal/text"
)

// Error is one thing wrong with the configuration. It never holds the value of a
// secret.
type Error struct {
	Origin Origin // file and line, variable or flag
	Key    string // dotted, as the documentation names it; empty for the file as a whole
	Text   string // what is wrong and what to do
}

func (e *Error) Error() string {
	where := e.Origin.String()
	if e.Key == "" || (e.Origin.Kind == Flag && e.Origin.Name == flagName(e.Key)) {
		return where + ": " + e.Text
	}
	return fmt.Sprintf("%s: %s: %s", where, e.Key, e.Text)
}

// Errors are all the things wrong with the configuration, in the order of the files
// and their lines. errors.As finds each *Error.
type Errors []*Error

func (es Errors) Error() string {
	return strings.Join(text.Of(es, (*Error).Error), "\n")
}

// Unwrap lets errors.As reach the single errors.
func (es Errors) Unwrap() []error {
	list := make([]error, len(es))
	for i, e := range es {
		list[i] = e
	}
	return list
}

// add appends an error.
func (es *Errors) add(o Origin, key, format string, args ...any) {
	*es = append(*es, &Error{Origin: o, Key: key, Text: fmt.Sprintf(format, args...)})
}

// flagName is the flag that sets a key.
func flagName(key string) string { return strings.ReplaceAll(key, "_", "-") }
