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

// failf is the result of a call that failed.
func failf(summary, format string, a ...any) Result {
	return Result{Text: "Error: " + fmt.Sprintf(format, a...), IsError: true, Summary: summary}
}

// stopped is the result of a call whose context ended before it had done anything.
func stopped(tool string) Result {
	return failf("stopped", "%s was stopped before it finished.", tool)
}

// overtaken is why a change did not begin: somebody else changed what its call had read. The same call, made
// again, reads it anew.
type overtaken struct{ error }

func (o overtaken) Unwrap() error { return o.error }

// failed turns an error of the vault into a result.
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
		r.again = errors.As(err, new(overtaken))
		return r
	}
	return failf(reason(ve.Text, ve.Path), "%s", ve.Text)
}

// maxReason bounds a reason in a summary, in bytes.
const maxReason = 60

// reason is the first clause of what is said of a failure, in a few words: without the path,
// which stands beside it.
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

// kindSummaries say in two or three words what kind of failure it was; a kind without has none of its own.
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

// Overtaken says of a result that its call changed nothing because somebody else changed a note first.
func Overtaken(r Result) bool { return r.IsError && r.Summary == kindSummaries[vault.KindChanged] }

// changedOnDisk is the refusal to write over what the turn has not seen.
func changedOnDisk(name string) Result {
	return failf(kindSummaries[vault.KindChanged],
		"%s changed on disk since you last read it; nothing was written. Read it again with read_file, then repeat the change.",
		wording.Quote(name))
}
