package consent

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// maxTyped is the maximum length of a typed line, in bytes.
const maxTyped = 64 << 10

// Input reads lines from a terminal byte by byte, so that it reads nothing beyond them.
type Input struct {
	in io.Reader
	fd int // of the terminal, or -1

	mu     sync.Mutex
	before *term.State // of the terminal while input is hidden
}

// NewInput returns an Input that reads from in, which need not be a terminal.
func NewInput(in io.Reader) *Input {
	p := &Input{in: in, fd: -1}
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.fd = int(f.Fd())
	}
	return p
}

// Line reads a line. It returns io.EOF if the input ended before it.
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

// Hide turns off echo until Restore. Without a terminal it does nothing. With an error the terminal shows what is typed.
func (p *Input) Hide() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fd < 0 || p.before != nil {
		return nil
	}
	state, err := term.GetState(p.fd)
	if err == nil {
		p.before = state
		err = hideInput(p.fd)
	}
	return err
}

// Restore restores the terminal's state before Hide, even while a line is being read.
func (p *Input) Restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.before != nil {
		_ = term.Restore(p.fd, p.before) // there is nothing else to try
		p.before = nil
	}
}
