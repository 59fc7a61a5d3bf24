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
		old, err := readRetrospections(vault)
		if err != nil {
			return err
		}
		if vault == nil {
			return errors.New("there is no vault to write to")
		}
		if err := statefile.MakeFolder(vault, path.Dir(File)); err != nil {
			return err
		}
		const bom = "\ufeff"
		rest, had := strings.CutPrefix(string(old), bom)
		rest = r.section() + rest
		if had {
			rest = bom + rest
		}
		return atomicfile.WriteFile(vault, File, []byte(rest), 0o600)
	})
	if err != nil {
		return fmt.Errorf("the result could not be written to %s: %w", File, err)
	}
	return nil
}

// readRetrospections reads the file; empty if it does not exist.
func readRetrospections(vault *os.Root) ([]byte, error) {
	if vault == nil {
		return nil, nil
	}
	data, err := statefile.Read(vault, File, maxRetrospections)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, statefile.ErrNotFile):
		return nil, errors.New("it is not a regular file")
	case errors.Is(err, statefile.ErrTooLarge):
		return nil, fmt.Errorf("it has more than %d MB", maxRetrospections>>20)
	}
	return data, err
}
