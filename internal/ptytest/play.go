//go:build unix

package ptytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/vt"
)

// PlayCast plays a recording by SaveCast and returns the text of its last screen, in the form of
// Terminal.Screen.
func PlayCast(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	head, frames, _ := bytes.Cut(data, []byte("\n"))
	var header struct{ Version, Width, Height int }
	if err := json.Unmarshal(head, &header); err != nil {
		return "", fmt.Errorf("%s: its header: %w", path, err)
	}
	if header.Version != 2 || header.Width < 1 || header.Height < 1 {
		return "", fmt.Errorf("%s is no asciicast of version 2", path)
	}
	screen := newScreen(header.Width, header.Height)
	err = screen.play(frames)
	text := strings.TrimRight(screen.String(), "\n")
	if err = errors.Join(err, screen.close()); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// screen is an emulator for recordings. It discards replies to queries. The caller must close it.
type screen struct {
	*vt.Emulator
	drained chan struct{} // closed when the reader of replies has returned
}

func newScreen(width, height int) *screen {
	s := &screen{vt.NewEmulator(width, height), make(chan struct{})}
	go func() {
		defer close(s.drained)
		_, _ = io.Copy(io.Discard, s.Emulator) // returns when close closes the pipe
	}()
	return s
}

func (s *screen) close() (err error) {
	if c, ok := s.InputPipe().(io.Closer); ok { // the emulator's Close would race with Read
		err = c.Close()
	}
	<-s.drained
	return err
}

// resize sets the size from the data of a resize event, such as "80x24". It ignores invalid data.
func (s *screen) resize(size string) {
	var width, height int
	if _, err := fmt.Sscanf(size, "%dx%d", &width, &height); err == nil {
		s.Resize(width, height)
	}
}

// play draws the events of a recording, one line of JSON each.
func (s *screen) play(frames []byte) error {
	last := 0.0
	for n := 2; len(frames) > 0; n++ {
		var line []byte
		line, frames, _ = bytes.Cut(frames, []byte("\n"))
		var event [3]any
		if err := json.Unmarshal(line, &event); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		at, isTime := event[0].(float64)
		kind, _ := event[1].(string)
		text, isText := event[2].(string)
		if !isTime || !isText || at < last {
			return fmt.Errorf("line %d is no event, or comes before the one above", n)
		}
		last = at
		switch kind {
		case "o":
			if _, err := s.Write([]byte(text)); err != nil {
				return err
			}
		case "r":
			s.resize(text)
		}
	}
	return nil
}
