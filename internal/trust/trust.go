// Package trust knows which of the files that come with a vault its owner agreed to. A vault can come
// from anyone: until the person at this machine has seen a file whole and agreed to it, it steers
// nothing. An answer is kept by the SHA-256 of the file's bytes, in the vault's state folder, which is
// the person's own; a file that changed is asked about again.
package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"chatvault/internal/statefile"
)

// The files that are asked about, relative to the vault.
const (
	Folder   = ".smarthole"
	Settings = Folder + "/config.toml"
	Set      = Folder + "/settings.toml" // settings that were changed in the program
	Prompts  = Folder + "/prompts"
	Commands = Folder + "/commands"
)

const (
	answersFile = "trust.json"
	schema      = 1

	maxFile = 64 << 10 // bytes of a prompt or a command

	// What a vault brings, before its owner agreed to any of it.
	maxEntries = 3000
	maxBytes   = 8 << 20
	maxTime    = 2 * time.Second

	maxInstructions = 64 << 10 // bytes: they are sent with every message
	maxAnswers      = 4 << 20  // bytes
)

// IsSettings reports whether a file holds settings.
func IsSettings(name string) bool { return name == Settings || name == Set }

// File is a file that came with a vault.
type File struct {
	Name string // relative to the vault, '/' separated
	Data []byte
	Why  string // why it cannot be agreed to; empty: it can
}

// NewBudget bounds one look at what a vault brings.
func NewBudget() *statefile.Budget { return statefile.NewBudget(maxEntries, maxBytes, maxTime) }

// Brought are the files of a vault's prompts and commands, by name. vault is its folder.
func Brought(b *statefile.Budget, vault *os.Root) ([]File, error) {
	var all []File
	for _, folder := range []struct{ name, suffix string }{{Prompts, ".tmpl"}, {Commands, ".md"}} {
		entries, err := b.List(vault, folder.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return all, err
		}
		for _, e := range entries {
			if e.IsDir() || strings.HasPrefix(e.Name(), ".") || !strings.EqualFold(path.Ext(e.Name()), folder.suffix) {
				continue
			}
			f := File{Name: folder.name + "/" + e.Name()}
			if f.Data, err = b.Read(vault, f.Name, maxFile); errors.Is(err, statefile.ErrTooLarge) {
				f.Why = fmt.Sprintf("it is larger than %d KB", maxFile>>10)
			} else if err != nil {
				f.Why = err.Error()
			}
			all = append(all, f)
		}
	}
	return all, nil
}

// Instructions are what a vault's owner tells agents: AGENTS.md at its top, or CLAUDE.md where there is
// none. there is false where there is neither, or nothing in it. What is private is not there.
func Instructions(vault *os.Root, private func(name string) bool) (f File, there bool) {
	for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
		if private != nil && private(name) {
			continue
		}
		data, err := statefile.Read(vault, name, maxInstructions)
		f = File{Name: name, Data: data}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case errors.Is(err, statefile.ErrTooLarge):
			f.Why = fmt.Sprintf("it is larger than the %d KB that instructions may have", maxInstructions>>10)
		case errors.Is(err, statefile.ErrNotFile):
			f.Why = "it is not a regular file"
		case err != nil:
			f.Why = err.Error()
		case !utf8.Valid(data):
			f.Why = "it is not UTF-8 text"
		}
		return f, f.Why != "" || len(bytes.TrimSpace(data)) > 0
	}
	return File{}, false
}

// answer is what was said of a file.
type answer struct {
	Hash   string    `json:"sha256"`
	Agreed bool      `json:"agreed"`
	Time   time.Time `json:"time"`
}

// kept is what stands in the file.
type kept struct {
	Schema int               `json:"schema"`
	Files  map[string]answer `json:"files"`
}

// Answers are what the owner said of a vault's files. It is safe for concurrent use. The nil *Answers
// agreed to nothing.
type Answers struct {
	state *os.Root // the vault's state folder

	mu    sync.Mutex
	files map[string]answer
	off   error
}

// TurnOff has nothing of the vault's count in this process: why is the bound that what it brings met.
func (a *Answers) TurnOff(why error) error {
	why = fmt.Errorf("the instructions, prompts, commands and skills of this vault are off: %w; move away what is not needed and start again", why)
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.off = why
	}
	return why
}

// Off returns why nothing of the vault's counts, or nil. The nil *Answers is not off.
func (a *Answers) Off() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.off
}

// Load reads the answers from a vault's state folder.
// What makes no sense is set aside: it is asked again.
func Load(state *os.Root) (*Answers, error) {
	a := &Answers{state: state, files: map[string]answer{}}
	return a, a.read()
}

// read takes the answers as they are on the disk, where another process may have written some.
func (a *Answers) read() error {
	var k kept
	switch err := statefile.ReadJSON(a.state, answersFile, maxAnswers, schema, &k); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("what you agreed to of this vault's own settings cannot be read, so it is asked again: %w", err)
	}
	if k.Files != nil {
		a.files = k.Files
	}
	return nil
}

// Refresh takes over what another process was answered meanwhile.
func (a *Answers) Refresh() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.read() // what cannot be read was told at the start
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Agreed says whether the owner agreed to a file that holds data.
func (a *Answers) Agreed(name string, data []byte) bool {
	was, asked := a.said(name, data)
	return asked && was.Agreed
}

// Asked says whether the owner answered for a file that holds data, one way or the other.
func (a *Answers) Asked(name string, data []byte) bool {
	_, asked := a.said(name, data)
	return asked
}

func (a *Answers) said(name string, data []byte) (was answer, asked bool) {
	if a == nil {
		return answer{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	was, known := a.files[name]
	return was, known && a.off == nil && was.Hash == hash(data)
}

// Keep keeps an answer for files as they are, durably. Files that cannot be agreed to are left out.
func (a *Answers) Keep(files []File, agreed bool) error {
	if a == nil {
		return errors.New("there is no folder in which the answer could be kept")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.read() // what cannot be read is asked again
	for _, f := range files {
		if f.Why == "" {
			a.files[f.Name] = answer{hash(f.Data), agreed, time.Now().UTC().Truncate(time.Second)}
		}
	}
	return a.write()
}

// Forget takes every answer back, durably.
func (a *Answers) Forget() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.files = map[string]answer{}
	return a.write()
}

// Any says whether anything was agreed to.
func (a *Answers) Any() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(slices.Collect(maps.Values(a.files)), func(was answer) bool { return was.Agreed })
}

// write is called with mu held.
func (a *Answers) write() error {
	return statefile.WriteJSON(a.state, answersFile, kept{schema, a.files})
}
