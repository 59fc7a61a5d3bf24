package home

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
)

const (
	draftFolder = "drafts"
	maxDrafts   = 20
)

// Drafts stores the text in this chat's composer. Each open chat has its own draft: it holds the lock drafts/N.lock
// and owns drafts/N.txt. A new chat takes over the draft of an ended one, lowest number first. It is safe for
// concurrent use.
type Drafts struct {
	state *os.Root
	log   *slog.Logger

	mu     sync.Mutex
	chosen bool
	name   string // drafts/N; empty if there is none and nothing is stored
	lock   *flock.Flock
}

// NewDrafts returns the drafts in a vault's state folder.
func NewDrafts(state *os.Root, log *slog.Logger) *Drafts { return &Drafts{state: state, log: log} }

// Load returns the draft that this chat now owns, or "".
func (d *Drafts) Load() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.choose() {
		return ""
	}
	data, err := statefile.Read(d.state, d.file(), 4*maxEdited)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("draft not read", "error", err)
	}
	if text, ok := d.leftInEditor(); ok {
		return text
	}
	return string(data)
}

// Save stores text as the draft. An empty text removes it.
func (d *Drafts) Save(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.choose() {
		d.write(text)
	}
}

// write writes the draft, and reports whether it is on disk.
func (d *Drafts) write(text string) bool {
	var err error
	if text == "" {
		err = atomicfile.Remove(d.state, d.file())
	} else {
		err = atomicfile.WriteFile(d.state, d.file(), []byte(text), 0o600)
	}
	if err != nil {
		d.log.Warn("draft not saved", "error", err)
	}
	return err == nil
}

// Close releases the draft for other chats.
func (d *Drafts) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock != nil {
		_ = d.lock.Unlock()
	}
	d.lock, d.name, d.chosen = nil, "", true
}

// choose finds this chat's draft once. It returns false if there is none.
func (d *Drafts) choose() bool {
	if !d.chosen {
		d.chosen = true
		if err := d.find(); err != nil {
			d.log.Warn("drafts are not kept", "error", err)
		}
	}
	return d.name != ""
}

// find takes the first free draft with content, else the first free number.
func (d *Drafts) find() error {
	if err := statefile.MakeFolder(d.state, draftFolder); err != nil {
		return err
	}
	for _, old := range []bool{true, false} {
		for n := 1; n <= maxDrafts; n++ {
			name := path.Join(draftFolder, strconv.Itoa(n))
			if old && !d.holds(name) {
				continue
			}
			l, err := statefile.NewLock(d.state, name+".lock")
			if err != nil {
				return err
			}
			switch ok, err := l.TryLock(); {
			case err != nil:
				return err
			case ok:
				d.lock, d.name = l, name
				return nil
			}
		}
	}
	return fmt.Errorf("%d chats are open", maxDrafts)
}

func (d *Drafts) file() string { return d.name + ".txt" }

// editedSuffix is the suffix of the file that holds a draft while the user's editor has it: drafts/N.edit.md. It is
// removed when the editor exits. A file found at the start is from a process that ended before its editor, and is the
// newest version of the draft.
const editedSuffix = ".edit.md"

// maxEdited limits what is read back from an editor, in bytes. A longer message could not be sent.
const maxEdited = 8 << 20

// edited returns the name of the editor's file.
func (d *Drafts) edited() string { return d.name + editedSuffix }

// Lend writes text durably to the editor's file and returns its absolute path.
func (d *Drafts) Lend(text string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.choose() {
		return "", errors.New("drafts are not kept here, so there is no file to edit; chatvault doctor says why")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if err := atomicfile.WriteFile(d.state, d.edited(), []byte(text), 0o600); err != nil {
		return "", err
	}
	return filepath.Join(d.state.Name(), filepath.FromSlash(d.edited())), nil
}

// TakeBack reads the editor's file and removes it.
func (d *Drafts) TakeBack() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text, err := d.readEdited()
	if err == nil {
		d.removeEdited()
	}
	return text, err
}

func (d *Drafts) removeEdited() {
	if err := atomicfile.Remove(d.state, d.edited()); err != nil {
		d.log.Warn("the editor's file not removed", "error", err)
	}
}

func (d *Drafts) readEdited() (string, error) {
	data, err := statefile.Read(d.state, d.edited(), maxEdited)
	if err == nil && !utf8.Valid(data) {
		err = errors.New("what it wrote is not UTF-8")
	}
	return string(data), err
}

// leftInEditor returns the editor's file of an ended process. It is removed only after it has become the draft.
func (d *Drafts) leftInEditor() (string, bool) {
	text, err := d.readEdited()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			d.log.Warn("what an editor left was not read", "file", d.edited(), "error", err)
		}
		return "", false
	}
	text = strings.TrimSuffix(text, "\n")
	if text == "" || d.write(text) {
		d.removeEdited()
	}
	return text, text != ""
}

// holds reports whether a draft of this name has content.
func (d *Drafts) holds(name string) bool {
	for _, suffix := range []string{".txt", editedSuffix} {
		if _, err := d.state.Lstat(name + suffix); err == nil {
			return true
		}
	}
	return false
}
