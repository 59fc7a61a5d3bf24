// Package vaulterr defines the error type of vault operations: each error is a sentence for the model and the user.
package vaulterr

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"chatvault/internal/base/text"
)

// Kind classifies a failed vault operation. It is itself an error, so that errors.Is matches an Error by its kind.
type Kind int

func (k Kind) Error() string { return "vault error of kind " + strconv.Itoa(int(k)) }

// The kinds of failures.
const (
	KindOther     Kind = iota
	KindDenied         // outside the vault, protected, malformed, not portable
	KindNotFound       //
	KindExists         // the destination already exists
	KindIsFolder       // a folder where a file is required
	KindNotFolder      // a file where a folder is required
	KindAmbiguous      // several names match when case is ignored
	KindChanged        // the content does not match the hash that the caller expected
	KindTooLarge       //
	KindBinary         //
)

// Error is a failed vault operation. Error() returns one or more full English sentences with the cause and the next
// step, without an "Error: " prefix. For a denied path it reveals nothing but the name.
type Error struct {
	Kind Kind
	Path string // as the caller spelled it
	Text string // the message
	Err  error
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the error's kind.
func (e *Error) Is(target error) bool { return target == e.Kind }

// New returns an Error whose text is formatted as by fmt.Sprintf.
func New(kind Kind, path, format string, args ...any) *Error {
	return &Error{Kind: kind, Path: path, Text: fmt.Sprintf(format, args...)}
}

// Because sets the underlying error and returns e.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// MaxQuoted limits a quoted path in a message, in bytes, so that messages stay under 200.
const MaxQuoted = 100

// Quote returns the path as a quoted Go string on one line, shortened to about MaxQuoted bytes.
func Quote(path string) string {
	if len(path) > 2*MaxQuoted {
		path = path[:2*MaxQuoted] // longer text is never shown
	}
	quoted := strconv.Quote(path)
	for keep := MaxQuoted; len(quoted) > MaxQuoted+2; keep -= 8 {
		quoted = strconv.Quote(text.Head(path, keep) + "…")
	}
	return quoted
}

// QuoteAll returns the quoted paths, comma-separated: at most limit of them, then the number of the others.
func QuoteAll(paths []string, limit int) string { return text.First(text.Of(paths, Quote), limit) }

// Wrap converts an error of the operating system to an Error. verb is the failed action, such as "read" or "write".
// An error that is an Error already is returned unchanged.
func Wrap(err error, path, verb string) error {
	if _, known := errors.AsType[*Error](err); known {
		return err
	}
	e := &Error{Kind: KindOther, Path: path, Err: err}
	switch {
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		e.Text = fmt.Sprintf("Cannot %s %s: %v. Ask the user to check the permissions.", verb, Quote(path), Plain(err))
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		e.Text = fmt.Sprintf("Cannot %s %s: the disk is full. Nothing was changed; ask the user to free some space.", verb, Quote(path))
	case errors.Is(err, fs.ErrNotExist):
		e.Kind = KindNotFound
		e.Text = "File not found: " + Quote(path)
	case errors.Is(err, fs.ErrExist):
		e.Kind = KindExists
		e.Text = Quote(path) + " already exists. Nothing was changed."
	default:
		e.Text = fmt.Sprintf("Cannot %s %s: %v", verb, Quote(path), Plain(err))
	}
	return e
}

// Plain returns the cause of a PathError or LinkError, without the path.
func Plain(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}
