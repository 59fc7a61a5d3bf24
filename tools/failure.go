package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"chatvault/vault"
)

// sentence is an error that is a whole sentence, for the model and the user.
func sentence(format string, a ...any) error { return fmt.Errorf(format, a...) }

// failf is the result of a call that failed.
func failf(summary, format string, a ...any) Result {
	return Result{Text: "Error: " + fmt.Sprintf(format, a...), IsError: true, Summary: summary}
}

// stopped is the result of a call whose context ended before it had done anything.
func stopped(tool string) Result {
	return failf("stopped", "%s was stopped before it was done.", tool)
}

// failed turns an error of the vault into a result.
func failed(tool string, err error) Result {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return stopped(tool)
	}
	var refused *refusal
	if errors.As(err, &refused) {
		return failf("denied", "%s", refused)
	}
	var ve *vault.Error
	if !errors.As(err, &ve) {
		return failf("failed", "%s failed: %v.", tool, strings.TrimSuffix(err.Error(), "."))
	}
	return failf(kindSummary(ve.Kind), "%s", ve.Text)
}

func kindSummary(k vault.Kind) string {
	switch k {
	case vault.KindDenied:
		return "access denied"
	case vault.KindNotFound:
		return "not found"
	case vault.KindExists:
		return "exists already"
	case vault.KindIsFolder:
		return "is a folder"
	case vault.KindNotFolder:
		return "is no folder"
	case vault.KindAmbiguous:
		return "several match"
	case vault.KindChanged:
		return "changed on disk"
	case vault.KindTooLarge:
		return "too large"
	case vault.KindBinary:
		return "binary"
	default:
		return "failed"
	}
}

func isKind(err error, k vault.Kind) bool {
	var ve *vault.Error
	return errors.As(err, &ve) && ve.Kind == k
}

// changedOnDisk is the refusal to write over what the turn has not seen.
func changedOnDisk(name string) Result {
	return failf(kindSummary(vault.KindChanged),
		"%s changed on disk since you last read it; nothing was written. Read it again with read_file, then repeat the change.",
		quote(name))
}
