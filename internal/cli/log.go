package cli

import (
	"io"
	"log/slog"
	"os"
	"sync"

	"chatvault/agent/llm"
)

const (
	logName     = "chatvault.log"
	maxLogBytes = 4 << 20 // then the log moves to chatvault.log.1, once
)

// logFile is .smarthole/chatvault.log: JSON lines, 0600, no secret in it.
type logFile struct {
	logger *slog.Logger
	file   *os.File
}

// openLog opens the log. Where that fails, nothing is logged: it is no reason not to chat.
func openLog(state *os.Root) *logFile {
	if info, err := state.Stat(logName); err == nil && info.Size() > maxLogBytes {
		_ = state.Rename(logName, logName+".1")
	}
	f, err := state.OpenFile(logName, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return &logFile{logger: discard()}
	}
	h := slog.NewJSONHandler(&redacting{w: f}, &slog.HandlerOptions{Level: slog.LevelInfo})
	return &logFile{slog.New(h).With("pid", os.Getpid()), f}
}

func (l *logFile) close() {
	if l.file != nil {
		_ = l.file.Close()
	}
}

// redacting removes what looks like a key from each line, whoever logged it.
type redacting struct {
	mu sync.Mutex
	w  io.Writer
}

func (r *redacting) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := io.WriteString(r.w, llm.Redact(string(line)))
	return len(line), err
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
