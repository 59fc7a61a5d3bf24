package consent

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// maxTyped bounds a line that is typed, in bytes.
const maxTyped = 64 << 10

// Input reads lines from a terminal, byte by byte: it takes nothing that is not its own.
type Input struct {
	in io.Reader
	fd int // of the terminal; -1: it is none

	mu     sync.Mutex
	before *term.State // of the terminal while it hides what is typed
}

// NewInput reads from in, which may be no terminal.
func NewInput(in io.Reader) *Input {
	p := &Input{in: in, fd: -1}
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.fd = int(f.Fd())
	}
	return p
}

// Line reads a line; io.EOF where the input ended before one began.
func (p *Input) Line() (string, error) {
	var b strings.Builder
	for buf := make([]byte, 1); ; {
		n, err := p.in.Read(buf)
		switch {
		case n > 0 && buf[0] == '\n':
			return strings.TrimSuffix(b.String(), "\r"), nil
		case n > 0 && b.Len() >= maxTyped:
			return "", errors.New("the line is too long")
		case n > 0:
			b.WriteByte(buf[0])
		}
		if err != nil {
			if errors.Is(err, io.EOF) && b.Len() > 0 {
				return b.String(), nil
			}
			return "", err
		}
	}
}

// Hide keeps what is typed from being shown, until restore.
func (p *Input) Hide() {
	if p.fd < 0 {
		return
	}
	state, err := term.GetState(p.fd)
	if err != nil {
		return // reading the line tells
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.before == nil {
		p.before = state
	}
	_ = hideInput(p.fd) // it is hidden while it is read in any case
}

// Masked reads a line that is not shown, and shows what is typed from then on.
func (p *Input) Masked() (string, error) {
	if p.fd < 0 {
		return p.Line()
	}
	p.Hide()
	defer p.Restore()
	data, err := term.ReadPassword(p.fd)
	return string(data), err
}

// Restore gives the terminal back as it was before hide, also while a line is being read.
func (p *Input) Restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.before != nil {
		_ = term.Restore(p.fd, p.before) // there is nothing else to try
		p.before = nil
	}
}
