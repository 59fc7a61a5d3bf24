package vault

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"

	"chatvault/internal/base/picture"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
	"chatvault/vault/lookup"
	"chatvault/vault/vaulterr"
)

// File is the content of a file at the time of reading.
type File struct {
	Path     string // true name
	Data     []byte // not nil
	Hash     string // of Data, for Request.IfHash
	Mode     fs.FileMode
	Modified time.Time
}

// MaxRead is the maximum size of a file for Read, in bytes.
const MaxRead = 64 << 20

// Hash returns the hexadecimal SHA-256 of a file's content.
func Hash(data []byte) string {
	return journal.Print(data)
}

// Read returns a complete file, text or binary. Above MaxRead the error is KindTooLarge.
func (v *Vault) Read(ctx context.Context, path string) (*File, error) {
	f, p, err := v.openFile(ctx, path)
	if err != nil {
		return nil, v.withNear(ctx, err, path)
	}
	defer func() { _ = f.Close() }()
	data, err := p.Content(f, MaxRead)
	if errors.Is(err, fsys.ErrTooLong) {
		return nil, vaulterr.New(vaulterr.KindTooLarge, path, "%s is too large to load at once (over %d MB).", vaulterr.Quote(p.Path), MaxRead>>20)
	}
	if err != nil {
		return nil, vaulterr.Wrap(err, path, "read")
	}
	return &File{Path: p.Path, Data: data, Hash: Hash(data), Mode: p.Info.Mode(), Modified: p.Info.ModTime()}, nil
}

// openFile opens a regular file for reading. The returned place is already closed; its path and info are those of the
// open file.
func (v *Vault) openFile(ctx context.Context, path string) (*os.File, *lookup.Place, error) {
	p, err := v.finder.Find(ctx, path, lookup.ForReading)
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	if err := p.MustBeFile(path); err != nil {
		return nil, nil, err
	}
	f, err := p.Open()
	if err != nil {
		return nil, nil, lookup.Error(err, path, p.Path)
	}
	return f, p, nil
}

// sniffed is the number of bytes that decide whether a file is text.
const sniffed = 8 << 10

var bomUTF8 = []byte("\xef\xbb\xbf")

// Binary reports whether data, a file or its beginning, is not text: its first 8 KB contain a NUL or are mostly
// invalid UTF-8, or it is an image or a PDF. UTF-16 counts as binary.
func Binary(data []byte) bool {
	head := data[:min(len(data), sniffed)]
	if picture.Sniff(data) != "" || bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	invalid := 0
	for _, r := range string(head) {
		if r == utf8.RuneError {
			invalid++
		}
	}
	// Latin-1 prose has at most one such byte in ten; it is shown with U+FFFD.
	return invalid*3 > utf8.RuneCount(head)
}
