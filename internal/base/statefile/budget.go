package statefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"chatvault/internal/base/text"
)

// Budget limits the entries, bytes and time spent on reading folders from untrusted sources, in total. When a limit
// is reached, all further calls fail with the same error.
type Budget struct {
	entries int
	bytes   int64
	most    string // the limits, for messages
	until   time.Time
	err     error
}

// NewBudget returns a budget whose time starts now.
func NewBudget(entries int, bytes int64, within time.Duration) *Budget {
	most := fmt.Sprintf("the most are %s files and folders, %d MB, and %.0f seconds", text.Thousands(entries), bytes>>20, within.Seconds())
	return &Budget{entries: entries, bytes: bytes, most: most, until: time.Now().Add(within)}
}

// Err returns the error of the limit that was reached, or nil.
func (b *Budget) Err() error { return b.err }

func (b *Budget) spend(name string, entries int, bytes int64) error {
	b.entries, b.bytes = b.entries-entries, b.bytes-bytes
	var what string
	switch {
	case b.err != nil:
		return b.err
	case b.entries < 0:
		what = "too many files and folders"
	case b.bytes < 0:
		what = "too many bytes"
	case time.Now().After(b.until):
		what = "reading takes too long"
	default:
		return nil
	}
	b.err = fmt.Errorf("%s, at %q (%s)", what, name, b.most)
	return b.err
}

// List lists a folder, sorted by name.
func (b *Budget) List(root *os.Root, name string) ([]fs.DirEntry, error) {
	if err := b.spend(name, 1, 0); err != nil {
		return nil, err
	}
	found, err := list(root, name, b.entries+1)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return found, b.spend(name, len(found), 0)
}

// Read reads a file of at most most bytes. A larger file is not read but costs most bytes.
func (b *Budget) Read(root *os.Root, name string, most int64) ([]byte, error) {
	if err := b.spend(name, 0, 0); err != nil {
		return nil, err
	}
	data, err := Read(root, name, most)
	size := int64(len(data))
	if errors.Is(err, ErrTooLarge) {
		size = most
	}
	if over := b.spend(name, 0, size); over != nil {
		return nil, over
	}
	return data, err
}
