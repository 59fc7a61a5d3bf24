// Package failure says what went wrong with the vault, in a sentence for the model and the user.
package failure

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"chatvault/internal/text"
)

// Kind of a failed vault operation. It is an error by itself, as which errors.Is finds it in an Error.
type Kind int

func (k Kind) Error() string {
	return [...]string{
		"other", "access denied", "not found", "already exists", "is a folder", "is not a folder", "several names match",
		"changed since it was read", "too large", "is not text",
	}[k]
}

// The kinds.
const (
	KindOther     Kind = iota
	KindDenied         // outside the vault, protected, malformed, not portable
	KindNotFound       //
	KindExists         // the destination is there already
	KindIsFolder       // a folder where a file is needed
	KindNotFolder      // a file where a folder is needed
	KindAmbiguous      // several names match when case is ignored
	KindChanged        // content differs from the hash the caller expected
	KindTooLarge       //
	KindBinary         //
)

// Error is a failed vault operation. Error() is a whole English sentence that says what was
// wrong and what to do, fit for the model and the user, without an "Error: " prefix;
// it never tells more of a denied target than its name. Near names are in the sentence already.
type Error struct {
	Kind Kind
	Path string   // as the caller gave it
	Text string   // the sentence
	Near []string // for KindNotFound: near names, best first; for KindAmbiguous: the matches
	Err  error
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

// Is recognises the error's kind.
func (e *Error) Is(target error) bool { return target == e.Kind }

// New makes an Error whose sentence is format.
func New(kind Kind, path, format string, args ...any) *Error {
	return &Error{Kind: kind, Path: path, Text: fmt.Sprintf(format, args...)}
}

// Because says what an error comes from.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// MaxQuoted bounds a path inside a sentence, in bytes: sentences stay under 200.
const MaxQuoted = 100

// Quote shows a path inside a sentence, on one line and of bounded length.
func Quote(path string) string {
	if len(path) > 2*MaxQuoted {
		path = path[:2*MaxQuoted] // more is not shown anyway
	}
	quoted := strconv.Quote(path)
	for keep := MaxQuoted; len(quoted) > MaxQuoted+2; keep -= 8 {
		quoted = strconv.Quote(text.Head(path, keep) + "…")
	}
	return quoted
}

// QuoteAll shows at most limit paths.
func QuoteAll(paths []string, limit int) string {
	var b strings.Builder
	for i, p := range paths {
		if i == limit {
			fmt.Fprintf(&b, " and %d more", len(paths)-limit)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Quote(p))
	}
	return b.String()
}

// Wrap turns an error of the operating system into a sentence: verb is what could not
// be done, as in "read" or "write".
func Wrap(err error, path, verb string) error {
	if _, known := errors.AsType[*Error](err); known {
		return err
	}
	e := &Error{Kind: KindOther, Path: path, Err: err}
	switch {
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		why := "the file system does not allow it"
		if errors.Is(err, syscall.EROFS) {
			why = "the file system is read-only"
		}
		e.Text = fmt.Sprintf("Cannot %s %s: %s. Ask the user to check the permissions.", verb, Quote(path), why)
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

// Plain is the reason alone, without the operating system's path in front of it.
func Plain(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}
