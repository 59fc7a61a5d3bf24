package home

import (
	"io"
	"log"
	"log/slog"
	"os"
	"strings"
	"sync"

	"chatvault/agent/llm"
	"chatvault/internal/config"
	"chatvault/internal/statefile"
)

// LogName is the file, and LogForm stands in each line as "form": its "msg" is a sentence of the program's,
// and what may name or quote anything stands in attributes.
const (
	LogName = "chatvault.log"
	LogForm = 1
)

const (
	maxLogBytes = 4 << 20 // then the log moves to chatvault.log.1, over the one before
)

// Log is chatvault.log in the state folder: JSON lines, 0600, no secret in it, of bounded size.
type Log struct {
	Logger *slog.Logger
	lines  *logLines // nil: nothing is logged
}

// OpenLog opens the log for what is as grave as level, or graver. Where that fails, nothing is logged:
// it is no reason not to chat.
func OpenLog(state *os.Root, level config.LogLevel) *Log {
	lines := &logLines{state: state, most: maxLogBytes}
	if lines.open() != nil {
		return &Log{Logger: Discard()}
	}
	var least slog.Level
	_ = least.UnmarshalText([]byte(level)) // of config's choices
	h := slog.NewJSONHandler(lines, &slog.HandlerOptions{Level: least})
	return &Log{slog.New(h).With("pid", os.Getpid(), "form", LogForm), lines}
}

// FromLibraries has the log hold what libraries print by the standard logger.
func (l *Log) FromLibraries() { log.SetOutput(fromLibraries{l.Logger}) }

type fromLibraries struct{ log *slog.Logger }

func (f fromLibraries) Write(line []byte) (int, error) {
	f.log.Warn("from a library", "text", strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// Close ends the log; what is logged later is dropped.
func (l *Log) Close() {
	if l.lines != nil {
		l.lines.close()
	}
}

// logLines writes lines to the log, without what looks like a key, whoever logged it.
type logLines struct {
	state *os.Root
	most  int64 // bytes

	mu   sync.Mutex
	file *os.File // nil: closed
	size int64
}

func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return len(line), nil
	}
	if l.size > l.most && l.reopen() != nil {
		return len(line), nil // without a log we go on
	}
	n, err := io.WriteString(l.file, llm.Redact(string(line)))
	l.size += int64(n)
	return len(line), err
}

// open opens the log, beginning a new one where it is too long. Another process may write to
// it too: its lines are whole, as each is one write to the end of the file.
func (l *logLines) open() error {
	if info, err := l.state.Lstat(LogName); err == nil && (info.Size() > l.most || !info.Mode().IsRegular()) {
		_ = l.state.Rename(LogName, LogName+".1")
	}
	f, info, err := statefile.Open(l.state, LogName, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	l.file, l.size = f, info.Size()
	return nil
}

func (l *logLines) reopen() error {
	_ = l.file.Close()
	l.file = nil
	return l.open()
}

func (l *logLines) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}

// Discard is a logger that keeps nothing.
func Discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
