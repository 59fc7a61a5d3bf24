//go:build unix

package vault

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/vault/vaulterr"
)

func TestSpecialFilesDoNotBlock(t *testing.T) {
	v := newTest(t, nil)
	if err := syscall.Mkfifo(filepath.Join(v.dir, "pipe.md"), 0o644); err != nil {
		t.Skip(err)
	}
	done := make(chan string, 1)
	go func() {
		var wrong []string
		for name, err := range map[string]error{
			"read":   second(v.Read(t.Context(), "pipe.md")),
			"info":   second(v.Stat(t.Context(), "pipe.md")),
			"write":  second(v.Write(t.Context(), "pipe.md", nil, "")),
			"move":   second(v.Move(t.Context(), "pipe.md", "x.md")),
			"delete": second(v.Delete(t.Context(), "pipe.md", true)),
		} {
			if !errors.Is(err, vaulterr.KindDenied) {
				wrong = append(wrong, fmt.Sprintf("%s: %v", name, err))
			}
		}
		done <- strings.Join(wrong, "; ")
	}()
	select {
	case wrong := <-done:
		if wrong != "" {
			t.Error(wrong)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("a pipe blocks")
	}
}

// makePipe creates a named pipe, which no reader may open.
func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }
