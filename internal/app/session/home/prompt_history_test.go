package home

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// historyIn returns the history in the state folder dir.
func historyIn(t *testing.T, dir string) (PromptHistory, *[]error) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	state, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = state.Close() })
	var warned []error
	return NewPromptHistory(state, func(err error) { warned = append(warned, err) }), &warned
}

func TestPromptHistory(t *testing.T) {
	dir := t.TempDir()
	h, warned := historyIn(t, filepath.Join(dir, "a"))
	if got := h.Load(); len(got) != 0 {
		t.Errorf("at first: %q", got)
	}
	texts := []string{"one", "two\nlines", "with \"quotes\" and \\", "\x1b[31mred", "日本語", ""}
	for _, text := range texts {
		h.Append(text)
	}
	again, _ := historyIn(t, filepath.Join(dir, "a"))
	if got := again.Load(); !slices.Equal(got, texts) {
		t.Errorf("kept %q", got)
	}
	other, _ := historyIn(t, filepath.Join(dir, "b"))
	if got := other.Load(); len(got) != 0 {
		t.Errorf("another vault's: %q", got)
	}
	if info, err := os.Stat(filepath.Join(dir, "a", historyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}

	// A torn line, as after a crash, loses only itself.
	data, err := os.ReadFile(filepath.Join(dir, "a", historyFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", historyFile), append(data, `"half a li`...), 0o600); err != nil {
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
	dir := t.TempDir()
	h, _ := historyIn(t, dir)
	var lines strings.Builder
	for i := range 2*maxPromptHistory + 1 {
		fmt.Fprintf(&lines, "\"%d\"\n", i)
	}
	if err := os.WriteFile(filepath.Join(dir, historyFile), []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := h.Load()
		if len(got) != maxPromptHistory || got[len(got)-1] != fmt.Sprint(2*maxPromptHistory) {
			t.Errorf("%d, the last is %q", len(got), got[len(got)-1])
		}
	}
}

// TestPromptHistoryWriteError checks that a write error is a warning and nothing else.
func TestPromptHistoryWriteError(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, historyFile), 0o700); err != nil {
		t.Fatal(err)
	}
	h, warned := historyIn(t, dir)
	h.Append("x")
	if len(*warned) != 1 || len(h.Load()) != 0 {
		t.Errorf("warned %v", *warned)
	}
}
