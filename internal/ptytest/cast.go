//go:build unix

package ptytest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// frame is an event of a recording.
type frame struct {
	at   time.Duration // since the start of the program
	kind string        // "o" for output, "r" for a new size
	data []byte        // the output, or a size such as "80x24"
}

func (x *Terminal) recordOutput(b []byte) {
	x.record = append(x.record, frame{time.Since(x.start), "o", append([]byte(nil), b...)})
}

func (x *Terminal) recordResize() {
	x.record = append(x.record, frame{time.Since(x.start), "r", fmt.Appendf(nil, "%dx%d", x.width, x.height)})
}

// SaveCast writes a recording of the terminal so far as an asciicast of version 2
// (https://docs.asciinema.org/manual/asciicast/v2/). Each event draws the emulator's whole screen, so that a
// player has to support only colours and line ends. Longer pauses are shortened to maxPause; zero keeps them.
func (x *Terminal) SaveCast(path, title string, maxPause time.Duration) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	header := map[string]any{
		"version": 2, "width": x.first[0], "height": x.first[1], "title": title,
		"env": map[string]string{"TERM": "xterm-256color"},
	}
	if err := enc.Encode(header); err != nil {
		return err
	}
	screen := newScreen(x.first[0], x.first[1])
	var last, skipped time.Duration
	for i, f := range x.record {
		if pause := f.at - last; maxPause > 0 && pause > maxPause {
			skipped += pause - maxPause
		}
		last = f.at
		data := string(f.data)
		if f.kind == "o" {
			if _, err := screen.Write(f.data); err != nil {
				return errors.Join(err, screen.close())
			}
			if i+1 < len(x.record) && x.record[i+1].kind == "o" && x.record[i+1].at-f.at < oneFrame {
				continue
			}
			data = "\x1b[?25l\x1b[H\x1b[2J" + strings.ReplaceAll(screen.Render(), "\n", "\r\n")
		} else {
			screen.resize(data)
		}
		if err := enc.Encode([]any{(f.at - skipped).Seconds(), f.kind, data}); err != nil {
			return errors.Join(err, screen.close())
		}
	}
	if err := screen.close(); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644) // a recording is meant to be published
}

// oneFrame is the longest pause between two writes that SaveCast combines into one event.
const oneFrame = 30 * time.Millisecond
