package home

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func stateRoot(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func TestLogRedactsKeys(t *testing.T) {
	root := stateRoot(t)
	l, stop := OpenLog(root, "info")
	l.Error("refused", "header", "Authorization: Bearer abcdef123456", "body", `{"error":"Incorrect API key provided: sk-live-0123456789abcdef"}`)
	stop()
	l.Info("after the end") // a background call may still log
	data, err := root.ReadFile(LogName)
	if err != nil || bytes.Contains(data, []byte("abcdef")) || !bytes.Contains(data, []byte("[redacted]")) {
		t.Errorf("%s, %v", data, err)
	}
	var line map[string]any
	if err := json.Unmarshal(data, &line); err != nil || line["msg"] != "refused" || line["pid"] == nil {
		t.Errorf("%v in %s", err, data)
	}
	if info, err := root.Stat(LogName); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestLogIsBounded checks that a long chat rotates its log too, with whole lines from two processes.
func TestLogIsBounded(t *testing.T) {
	root := stateRoot(t)
	var wg sync.WaitGroup
	for range 2 {
		lines := &logLines{state: root, most: 20_000}
		if err := lines.open(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			defer lines.close()
			for range 1000 {
				slog.New(slog.NewJSONHandler(lines, nil)).Info("line", "text", strings.Repeat("x", 50))
			}
		})
	}
	wg.Wait()
	files, err := filepath.Glob(filepath.Join(root.Name(), "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil || len(data) > 3*20_000 {
			t.Errorf("%s holds %d bytes, %v", name, len(data), err)
		}
		for line := range bytes.SplitSeq(bytes.TrimSpace(data), []byte("\n")) {
			if !json.Valid(line) {
				t.Fatalf("torn: %q", line)
			}
		}
	}
}

func TestLogOpenError(t *testing.T) {
	root := stateRoot(t)
	if err := root.Mkdir(LogName, 0o700); err != nil {
		t.Fatal(err)
	}
	l, stop := OpenLog(root, "info")
	l.Info("goes nowhere")
	stop()
}
