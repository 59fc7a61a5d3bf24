//go:build unix

package ptytest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// frame is one event of a recording: output ("o") or a new size ("r").
type frame struct {
	at   time.Duration
	kind string
	data []byte
}

func (x *Terminal) recordOutput(b []byte) {
	x.record = append(x.record, frame{time.Since(x.start), "o", append([]byte(nil), b...)})
}

func (x *Terminal) recordResize() {
	x.record = append(x.record, frame{time.Since(x.start), "r", fmt.Appendf(nil, "%dx%d", x.width, x.height)})
}

// SaveCast writes what the terminal has shown so far as an asciicast, version 2
// (https://docs.asciinema.org/manual/asciicast/v2/). Pauses are shortened to
// maxPause; 0 keeps them.
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
	var last, skipped time.Duration
	var rest []byte // a rune cut by the end of a read waits for its other half
	for _, f := range x.record {
		if pause := f.at - last; maxPause > 0 && pause > maxPause {
			skipped += pause - maxPause
		}
		last = f.at
		data := f.data
		if f.kind == "o" {
			data = slices.Concat(rest, f.data)
			n := completeRunes(data)
			data, rest = data[:n], append([]byte(nil), data[n:]...)
		}
		if err := enc.Encode([]any{(f.at - skipped).Seconds(), f.kind, string(data)}); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o644) // a recording is meant to be published
}

// completeRunes is the length of b without a rune that is cut at its end.
func completeRunes(b []byte) int {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}
