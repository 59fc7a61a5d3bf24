package tools

import (
	"context"
	"errors"
	"strings"
	"testing"

	"chatvault/vault"
)

// The summary of every failure gives its reason in a few words.
func TestFailuresSayWhy(t *testing.T) {
	long := strings.Repeat("very ", 40) + "long"
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&vault.Error{Kind: vault.KindNotFound, Text: "File not found: 'a.md'"}, "not found"},
		{&vault.Error{Path: "Flat", Text: `The folder "Flat" is not empty: it has 3 items. Pass recursive to delete it.`}, "the folder is not empty: it has 3 items"},
		{&vault.Error{Path: "a.md", Text: `Cannot write "a.md": the file is read-only. Nothing was changed.`}, "cannot write: the file is read-only"},
		{&vault.Error{Path: "b.md", Text: "Élan 'a.md'\nand more"}, "élan 'a.md'"},
		{&vault.Error{}, "failed"},
		{errors.New("no space left on device"), "no space left on device"},
		{errors.New(long), long[:maxReason] + "…"},
		{context.Canceled, "stopped"},
	} {
		got := failed("some_tool", tt.err)
		if !got.IsError || got.Summary != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got.Summary, tt.want)
		}
	}
}
