package home

import (
	"errors"
	"io"
	"log"
	"log/slog"
	"os"
	"strings"
	"sync"
	"syscall"

	"chatvault/agent/llm"
	"chatvault/internal/config"
	"chatvault/internal/statefile"
)

// LogName is the log's file, and LogForm the "form" of each line: "msg" is a constant of the program, and "kind" the
// ErrorKind of an error.
const (
	LogName = "chatvault.log"
	LogForm = 1

	maxLogBytes = 4 << 20 // then the log is renamed to chatvault.log.1
)

// Log is chatvault.log in the state folder: JSON lines, 0600, without secrets, of bounded size.
type Log struct {
	Logger *slog.Logger
	lines  *logLines // nil if nothing is logged
}

// OpenLog opens the log for entries of at least a level. If that fails, it discards entries: the chat works without a
// log.
func OpenLog(state *os.Root, level config.LogLevel) *Log {
	lines := &logLines{state: state, most: maxLogBytes}
	if lines.open() != nil {
		return &Log{Logger: Discard()}
	}
	var least slog.Level
	_ = least.UnmarshalText([]byte(level)) // valid: it is one of config's choices
	h := slog.NewJSONHandler(lines, &slog.HandlerOptions{Level: least, ReplaceAttr: withKind})
	return &Log{slog.New(h).With("pid", os.Getpid(), "form", LogForm), lines}
}

// withKind adds the kind of an error to it.
func withKind(_ []string, a slog.Attr) slog.Attr {
	if err, ok := a.Value.Any().(error); ok {
		return slog.Group("", a.Key, err.Error(), "kind", ErrorKind(err))
	}
	return a
}

// ErrorKind describes an error without its text, which may contain names: the kind of a failed model call, or
// the system's error. It is empty for other errors.
func ErrorKind(err error) string {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return strings.TrimSpace(string(e.Kind) + " " + string(e.Reason))
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	return ""
}

// FromLibraries redirects the standard logger, which libraries use, to the log.
func (l *Log) FromLibraries() { log.SetOutput(fromLibraries{l.Logger}) }

type fromLibraries struct{ log *slog.Logger }

func (f fromLibraries) Write(line []byte) (int, error) {
	f.log.Warn("from a library", "text", strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// Close closes the log. Later entries are dropped.
func (l *Log) Close() {
	if l.lines != nil {
		l.lines.close()
	}
}

// logLines writes lines to the log and redacts everything that looks like a key.
type logLines struct {
	state *os.Root
	most  int64 // in bytes

	mu   sync.Mutex
	file *os.File // nil after close
	size int64
}

func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return len(line), nil
	}
	if l.size > l.most && l.reopen() != nil {
		return len(line), nil // the chat works without a log
	}
	n, err := io.WriteString(l.file, llm.Redact(string(line)))
	l.size += int64(n)
	return len(line), err
}

// open opens the log and rotates it if it is too long. Other processes may append to it: each line is a single write,
// so lines stay whole.
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

// Discard returns a logger that drops everything.
func Discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
