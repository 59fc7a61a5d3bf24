package home

import (
	"io"
	"log/slog"
	"os"
	"sync"

	"chatvault/agent/llm"
	"chatvault/internal/base/statefile"
)

// LogName is the log's file.
const LogName = "chatvault.log"

const maxLogBytes = 4 << 20 // then the log is renamed to chatvault.log.1

// OpenLog opens chatvault.log in the state folder, for entries of at least a level and for what libraries write to the
// standard logger: JSON lines, 0600, without secrets, of bounded size. Entries after stop are dropped. If the log
// cannot be opened, all are: the chat works without it.
func OpenLog(state *os.Root, level string) (l *slog.Logger, stop func()) {
	lines := &logLines{state: state, most: maxLogBytes}
	if lines.open() != nil {
		return Discard(), func() {}
	}
	var least slog.Level
	_ = least.UnmarshalText([]byte(level)) // valid: it is one of config's choices
	h := slog.NewJSONHandler(lines, &slog.HandlerOptions{Level: least})
	l = slog.New(h).With("pid", os.Getpid())
	slog.SetDefault(l) // also of package log
	return l, lines.close
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
	if l.size > l.most {
		_ = l.file.Close()
		if l.file = nil; l.open() != nil {
			return len(line), nil // the chat works without a log
		}
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
