package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/tools/wording"
	"chatvault/vault"
)

// textf returns the result of a call that only has a text.
func textf(summary, format string, a ...any) Result {
	return Result{Text: fmt.Sprintf(format, a...), Summary: summary}
}

// failf returns the result of a failed call.
func failf(summary, format string, a ...any) Result {
	return Result{Text: "Error: " + fmt.Sprintf(format, a...), IsError: true, Summary: summary}
}

// stopped returns the result of a call whose context ended before it did anything.
func stopped(tool string) Result {
	return failf("stopped", "%s was stopped before it finished.", tool)
}

// conflictError is the error of a change that did not begin because what its call had read has changed. The same call can
// be repeated.
type conflictError struct{ error }

func (o conflictError) Unwrap() error { return o.error }

// failed converts an error of the vault to a result.
func failed(tool string, err error) Result {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return stopped(tool)
	}
	if refused, ok := errors.AsType[*refusal](err); ok {
		return failf(refused.summary(), "%s", refused)
	}
	var ve *vault.Error
	if !errors.As(err, &ve) {
		return failf(reason(err.Error(), ""), "%s failed: %v.", tool, strings.TrimSuffix(err.Error(), "."))
	}
	if summary := kindSummaries[ve.Kind]; summary != "" {
		r := failf(summary, "%s", ve.Text)
		r.again = errors.As(err, new(conflictError))
		return r
	}
	return failf(reason(ve.Text, ve.Path), "%s", ve.Text)
}

// maxReason is the maximum length of a reason in a summary, in bytes.
const maxReason = 60

// reason returns the first clause of an error in a few words, without the path, which is displayed next to it.
func reason(text, path string) string {
	text, _, _ = strings.Cut(text, "\n")
	for _, end := range []string{". ", "; "} {
		text, _, _ = strings.Cut(text, end)
	}
	text = strings.TrimSuffix(strings.TrimSpace(text), ".")
	if path != "" {
		text = strings.Replace(text, " "+wording.Quote(path), "", 1)
	}
	if text == "" {
		return "failed"
	}
	first, size := utf8.DecodeRuneInString(text)
	return wording.Shorten(string(unicode.ToLower(first))+text[size:], maxReason)
}

// kindSummaries are summaries for kinds of errors.
var kindSummaries = map[vault.Kind]string{
	vault.KindDenied:    "access denied",
	vault.KindNotFound:  "not found",
	vault.KindExists:    "already exists",
	vault.KindIsFolder:  "is a folder",
	vault.KindNotFolder: "is not a folder",
	vault.KindAmbiguous: "several match",
	vault.KindChanged:   "changed on disk",
	vault.KindTooLarge:  "too large",
	vault.KindBinary:    "binary",
}

func isKind(err error, k vault.Kind) bool {
	var ve *vault.Error
	return errors.As(err, &ve) && ve.Kind == k
}

// Overtaken reports whether a call changed nothing because the note had changed on disk.
func Overtaken(r Result) bool { return r.IsError && r.Summary == kindSummaries[vault.KindChanged] }

// changedOnDisk returns the error for a write to a note that the turn has not seen in its current state.
func changedOnDisk(name string) Result {
	return failf(kindSummaries[vault.KindChanged],
		"%s changed on disk since you last read it; nothing was written. Read it again with read_file, then repeat the change.",
		wording.Quote(name))
}
