package fsys

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// ErrSwapped is returned if a name no longer refers to the same file.
var ErrSwapped = errors.New("it was replaced while it was being read")

// OpenFolder opens the folder name in dir and verifies that it is the one described by info.
func OpenFolder(dir *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	child, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	now, err := child.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = ErrSwapped
	}
	if err != nil {
		_ = child.Close()
		return nil, err
	}
	return child, nil
}

// SameFile reports whether two names in a folder refer to the same file.
func SameFile(dir *os.Root, a, b string) bool {
	first, err := dir.Lstat(a)
	if err != nil {
		return false
	}
	second, err := dir.Lstat(b)
	return err == nil && os.SameFile(first, second)
}

// ListsName reports whether the folder lists the name of an existing entry, as opposed to another way to reach an
// entry. A case-sensitive folder lists the names that it accepts; others are read.
func ListsName(dir *os.Root, name string) bool {
	other := swapCase(name)
	if other != name && !SameFile(dir, name, other) {
		return true
	}
	names, err := ReadNames(dir)
	want := norm.NFC.String(name)
	return err == nil && slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(norm.NFC.String(n), want) })
}

func swapCase(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, name)
}
