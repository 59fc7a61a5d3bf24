package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"chatvault/agent/history"
	"chatvault/agent/lock"
	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

const (
	// File is the path of the reviews.
	File              = ".smarthole/retrospection.md" // relative to the vault
	maxRetrospections = 64 << 20                      // bytes; a larger file is not ours
)

// Retrospection is a section of retrospection.md.
type Retrospection struct {
	Conversation string // its id
	Name         string
	Text         string // Markdown
	Cut          string // why it is incomplete; else empty
	Time         time.Time
}

// section returns the text in the file.
func (r Retrospection) section() string {
	cut := ""
	if r.Cut != "" {
		cut = "(Cut short: " + r.Cut + ".)\n\n"
	}
	return fmt.Sprintf("## %s: %s\n\nConversation %s\n\n%s\n\n%s",
		r.Time.Local().Format("2006-01-02 15:04"), text.Excerpt(text.Printable(r.Name), history.MaxTitle), r.Conversation, strings.TrimSpace(r.Text), cut)
}

// Prepend adds a section at the top of the file. If that fails, the file is unchanged.
func Prepend(state, vault *os.Root, r Retrospection) error {
	err := lock.State(state, func() error {
		if vault == nil {
			return errors.New("there is no vault to write to")
		}
		old, err := statefile.Read(vault, File, maxRetrospections)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := statefile.MakeFolder(vault, path.Dir(File)); err != nil {
			return err
		}
		return atomicfile.WriteFile(vault, File, append([]byte(r.section()), old...), 0o600)
	})
	if err != nil {
		return fmt.Errorf("the result could not be written to %s: %w", File, err)
	}
	return nil
}
