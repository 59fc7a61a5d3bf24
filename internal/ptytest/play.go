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

// PlayCast plays a recording that SaveCast wrote and returns the screen that it ends with, as
// Terminal.Screen gives it.
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
	em := vt.NewEmulator(header.Width, header.Height)
	drained := make(chan struct{})
	go func() { // what it answers is for nobody
		defer close(drained)
		buf := make([]byte, 1024)
		for {
			if _, err := em.Read(buf); err != nil {
				return
			}
		}
	}()
	err = play(em, frames)
	screen := strings.TrimRight(em.String(), "\n")
	if c, ok := em.InputPipe().(io.Closer); ok { // Close would race with Read
		err = errors.Join(err, c.Close())
	}
	<-drained
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return screen, nil
}

// play shows the events of a recording, a line of JSON each.
func play(em *vt.Emulator, frames []byte) error {
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
			if _, err := em.Write([]byte(text)); err != nil {
				return err
			}
		case "r":
			var width, height int
			if _, err := fmt.Sscanf(text, "%dx%d", &width, &height); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
			em.Resize(width, height)
		}
	}
	return nil
}
