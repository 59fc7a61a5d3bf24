package home

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
)

const maxPromptHistory = 1000

// historyFile stores what was typed for a vault, in its state folder, as a JSON string per line.
const historyFile = "history.jsonl"

// PromptHistory stores what was typed for one vault. Write errors are only logged, as they must not prevent typing.
type PromptHistory struct {
	state *os.Root
	warn  func(error)
}

// NewPromptHistory returns the history in a vault's state folder. warn gets its errors.
func NewPromptHistory(state *os.Root, warn func(error)) PromptHistory {
	return PromptHistory{state, warn}
}

// maxHistory limits what is read, in bytes.
const maxHistory = 64 << 20

// Load returns the texts, oldest first.
func (h PromptHistory) Load() []string {
	data, err := statefile.Read(h.state, historyFile, maxHistory)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			h.warn(err)
		}
		return nil
	}
	lines := bytes.SplitAfter(data, []byte{'\n'})
	if n := len(lines) - 1 - maxPromptHistory; n > maxPromptHistory { // the last one is empty
		lines = lines[n:]
		if err := atomicfile.WriteFile(h.state, historyFile, bytes.Join(lines, nil), 0o600); err != nil {
			h.warn(err)
		}
	}
	var texts []string
	for _, line := range lines {
		var t string
		if json.Unmarshal(line, &t) == nil {
			texts = append(texts, t)
		}
	}
	return texts
}

// Append adds a text.
func (h PromptHistory) Append(text string) {
	line, err := json.Marshal(text)
	if err == nil {
		err = atomicfile.AppendFile(h.state, historyFile, append(line, '\n'), 0o600)
	}
	if err != nil {
		h.warn(err)
	}
}
