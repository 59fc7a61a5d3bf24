// Package trust records which files of a vault its owner agreed to. A vault can come from anyone: until the user of
// this machine has seen a whole file and agreed to it, it has no effect. Answers are kept with the SHA-256 of the
// file's content in the vault's state folder; a changed file needs a new answer.
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

	"chatvault/internal/base/statefile"
)

// Files and folders that need consent, relative to the vault.
const (
	Folder   = ".smarthole"
	Set      = Folder + "/settings.toml" // settings changed by the program
	Prompts  = Folder + "/prompts"
	Commands = Folder + "/commands"
)

const (
	answersFile = "trust.json"
	schema      = 1

	maxFile = 64 << 10 // of a prompt or a command, in bytes

	// Limits of what a vault brings.
	maxEntries = 3000
	maxBytes   = 8 << 20
	maxTime    = 2 * time.Second

	maxInstructions = 64 << 10 // in bytes; they are sent with every message
	maxAnswers      = 4 << 20  // in bytes
)

// File is a file that came with a vault.
type File struct {
	Name string // relative to the vault, with slashes
	Data []byte
	Why  string // why it cannot be agreed to; empty if it can
}

// NewBudget returns the limits for reading what a vault brings.
func NewBudget() *statefile.Budget { return statefile.NewBudget(maxEntries, maxBytes, maxTime) }

// Brought returns the files of a vault's prompts and commands, sorted by name.
func Brought(b *statefile.Budget, vault *os.Root) ([]File, error) {
	prompts, err := In(b, vault, Prompts)
	if err != nil {
		return prompts, err
	}
	commands, err := In(b, vault, Commands)
	return append(prompts, commands...), err
}

// In returns the files of one of these folders, sorted by name.
func In(b *statefile.Budget, vault *os.Root, folder string) ([]File, error) {
	extension := map[string]string{Prompts: ".tmpl", Commands: ".md"}[folder]
	entries, err := b.List(vault, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []File
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || !strings.EqualFold(path.Ext(e.Name()), extension) {
			continue
		}
		f := File{Name: folder + "/" + e.Name()}
		if f.Data, err = b.Read(vault, f.Name, maxFile); errors.Is(err, statefile.ErrTooLarge) {
			f.Why = fmt.Sprintf("it is larger than %d KB", maxFile>>10)
		} else if err != nil {
			f.Why = err.Error()
		}
		all = append(all, f)
	}
	return all, nil
}

// Instructions returns the instructions for agents: AGENTS.md in the top folder, else CLAUDE.md. there is false if
// there are none, or they are empty or private.
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
		case err != nil:
			f.Why = err.Error()
		case !utf8.Valid(data):
			f.Why = "it is not UTF-8 text"
		}
		return f, f.Why != "" || len(bytes.TrimSpace(data)) > 0
	}
	return File{}, false
}

// answer is the answer for a file.
type answer struct {
	Hash   string    `json:"sha256"`
	Agreed bool      `json:"agreed"`
	Time   time.Time `json:"time"`
}

// kept is the content of the answers file.
type kept struct {
	Schema int               `json:"schema"`
	Files  map[string]answer `json:"files"`
}

// Answers are the owner's answers for the files of a vault. It is safe for concurrent use. The zero value has no
// consent.
type Answers struct {
	state *os.Root // the vault's state folder

	mu    sync.Mutex
	files map[string]answer
	off   error
}

// TurnOff turns off everything that came with the vault, in this process. why is the exceeded limit.
func (a *Answers) TurnOff(why error) error {
	why = fmt.Errorf("the instructions, prompts, commands and skills of this vault are off: %w; move away what is not needed and start again", why)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.off = why
	return why
}

// Off returns why everything is turned off, or nil.
func (a *Answers) Off() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.off
}

// Load reads the answers from a vault's state folder. If they are damaged, it returns an error and no answers.
func Load(state *os.Root) (*Answers, error) {
	a := &Answers{state: state, files: map[string]answer{}}
	return a, a.read()
}

// read reads the answers from disk, where another process may have written.
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

// Refresh reads answers that another process has recorded.
func (a *Answers) Refresh() {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.read() // the start reported an error
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Agreed reports whether the owner agreed to a file with this content.
func (a *Answers) Agreed(name string, data []byte) bool {
	was, asked := a.said(name, data)
	return asked && was.Agreed
}

// Asked reports whether the owner answered for a file with this content.
func (a *Answers) Asked(name string, data []byte) bool {
	_, asked := a.said(name, data)
	return asked
}

func (a *Answers) said(name string, data []byte) (was answer, asked bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was, known := a.files[name]
	return was, known && a.off == nil && was.Hash == hash(data)
}

// Keep durably records an answer for files, without those that cannot be agreed to.
func (a *Answers) Keep(files []File, agreed bool) error {
	if a.state == nil {
		return errors.New("there is no folder in which the answer could be kept")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.read() // on an error there are no answers
	for _, f := range files {
		if f.Why == "" {
			a.files[f.Name] = answer{hash(f.Data), agreed, time.Now().UTC().Truncate(time.Second)}
		}
	}
	return a.write()
}

// Forget durably removes all answers.
func (a *Answers) Forget() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.files = map[string]answer{}
	return a.write()
}

// Any reports whether the owner agreed to any file.
func (a *Answers) Any() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(slices.Collect(maps.Values(a.files)), func(was answer) bool { return was.Agreed })
}

// write writes the answers. a.mu must be held.
func (a *Answers) write() error {
	return statefile.WriteJSON(a.state, answersFile, kept{schema, a.files})
}
