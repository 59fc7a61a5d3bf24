package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// historyIn is a vault's history below dir instead of the user's state folder.
func historyIn(dir, vault string) (promptHistory, *[]error) {
	var warned []error
	h := newPromptHistory(vault, func(err error) { warned = append(warned, err) })
	h.path = filepath.Join(dir, "history", filepath.Base(h.path))
	return h, &warned
}

func TestPromptHistory(t *testing.T) {
	dir := t.TempDir()
	h, warned := historyIn(dir, "/vaults/a")
	if got := h.Load(); len(got) != 0 {
		t.Errorf("at first: %q", got)
	}
	texts := []string{"one", "two\nlines", "with \"quotes\" and \\", "\x1b[31mred", "日本語", ""}
	for _, text := range texts {
		h.Append(text)
	}
	again, _ := historyIn(dir, "/vaults/a")
	if got := again.Load(); !slices.Equal(got, texts) {
		t.Errorf("kept %q", got)
	}
	other, _ := historyIn(dir, "/vaults/b")
	if got := other.Load(); len(got) != 0 {
		t.Errorf("another vault's: %q", got)
	}
	if info, err := os.Stat(h.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Dir(h.path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}

	// A torn line, as a crash leaves, costs itself only.
	data, err := os.ReadFile(h.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.path, append(data, `"half a li`...), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Append("after")
	if got := h.Load(); !slices.Equal(got, append(texts, "after")) {
		t.Errorf("after a torn line: %q", got)
	}
	if len(*warned) > 0 {
		t.Errorf("warned %v", *warned)
	}
}

func TestPromptHistoryIsBounded(t *testing.T) {
	h, _ := historyIn(t.TempDir(), "/vaults/a")
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for i := range 2*maxPromptHistory + 1 {
		fmt.Fprintf(&lines, "\"%d\"\n", i)
	}
	if err := os.WriteFile(h.path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := h.Load()
		if len(got) != maxPromptHistory || got[len(got)-1] != fmt.Sprint(2*maxPromptHistory) {
			t.Errorf("%d, the last is %q", len(got), got[len(got)-1])
		}
	}
}

// TestPromptHistoryThatCannotBeWritten warns and keeps nobody from typing.
func TestPromptHistoryThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h, warned := historyIn(dir, "/vaults/a")
	h.Append("x")
	if len(*warned) != 1 || len(h.Load()) != 0 {
		t.Errorf("warned %v", *warned)
	}
}
