package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"chatvault/internal/atomicfile"
	"chatvault/internal/config"
)

const maxPromptHistory = 1000

// promptHistory keeps what was typed for one vault, a JSON string a line, in the XDG state
// folder, 0600. A failure to write is no reason to keep somebody from typing: it is logged.
type promptHistory struct {
	path string
	warn func(error)
}

func newPromptHistory(vaultDir string, warn func(error)) promptHistory {
	sum := sha256.Sum256([]byte(vaultDir))
	return promptHistory{filepath.Join(config.StateDir(), "history", hex.EncodeToString(sum[:8])+".jsonl"), warn}
}

// Load returns the texts, oldest first.
func (h promptHistory) Load() []string {
	data, err := os.ReadFile(h.path)
	if err != nil {
		return nil
	}
	var texts []string
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		var t string
		if len(line) > 0 && json.Unmarshal(line, &t) == nil {
			texts = append(texts, t)
		}
	}
	if len(texts) > 2*maxPromptHistory {
		texts = slices.Clone(texts[len(texts)-maxPromptHistory:])
		h.rewrite(texts)
	}
	return texts
}

// Append adds a text.
func (h promptHistory) Append(text string) {
	line, err := json.Marshal(text)
	if err == nil {
		if err = os.MkdirAll(filepath.Dir(h.path), 0o700); err == nil {
			err = atomicfile.AppendPath(h.path, append(line, '\n'), 0o600)
		}
	}
	if err != nil {
		h.warn(err)
	}
}

func (h promptHistory) rewrite(texts []string) {
	var b bytes.Buffer
	for _, t := range texts {
		line, err := json.Marshal(t)
		if err != nil {
			continue
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	if err := atomicfile.WritePath(h.path, b.Bytes(), 0o600); err != nil {
		h.warn(err)
	}
}
