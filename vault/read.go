package vault

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"unicode/utf8"

	"chatvault/internal/picture"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
	"chatvault/vault/vaulterr"
)

// File is the content of a file at the time of reading.
type File struct {
	Path string // true name
	Data []byte
	Hash string // of Data, for Request.IfHash
	Mode fs.FileMode
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
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := p.content(f, MaxRead)
	if errors.Is(err, fsys.ErrTooLong) {
		return nil, vaulterr.New(vaulterr.KindTooLarge, path, "%s is too large to load at once (over %d MB).", vaulterr.Quote(p.path), MaxRead>>20)
	}
	if err != nil {
		return nil, vaulterr.Wrap(err, path, "read")
	}
	return &File{Path: p.path, Data: data, Hash: Hash(data), Mode: p.info.Mode()}, nil
}

// openTries is the number of attempts to open a file that is being replaced.
const openTries = 8

// openFile opens a regular file for reading. The returned place is already closed; its path and info are those of the
// open file.
func (v *Vault) openFile(ctx context.Context, path string) (*os.File, *place, error) {
	for try := 1; ; try++ {
		p, err := v.find(ctx, path, followLinks)
		if err != nil {
			return nil, nil, v.withNear(ctx, err, path, filesOnly)
		}
		err = p.mustBeFile(path)
		var f *os.File
		if err == nil {
			f, err = p.open()
		}
		p.close()
		if err == nil {
			return f, p, nil
		}
		if !errors.Is(err, fsys.ErrSwapped) || try == openTries {
			return nil, nil, v.lookupError(err, path, p.path)
		}
	}
}

// mustBeFile returns an error for anything but a regular file.
func (p *place) mustBeFile(given string) error {
	switch {
	case p.info.IsDir():
		return vaulterr.New(vaulterr.KindIsFolder, given, "%s is a folder, not a file. Name a file in it.", vaulterr.Quote(p.path))
	case !p.info.Mode().IsRegular():
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is not a regular file (a pipe, socket or device).", vaulterr.Quote(p.path))
	}
	return nil
}

// open opens the regular file of the place and verifies that it is the one that was looked up. It does not block:
// with O_NONBLOCK, even a pipe opens, and is then rejected.
func (p *place) open() (*os.File, error) {
	f, err := p.dir.OpenFile(p.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!os.SameFile(info, p.info) || !info.Mode().IsRegular()) {
		err = fsys.ErrSwapped
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	p.info = info
	return f, nil
}

// content reads the open file of the place. If it is longer than limit, the error is fsys.ErrTooLong.
func (p *place) content(f *os.File, limit int64) ([]byte, error) {
	if p.info.Size() > limit {
		return nil, fsys.ErrTooLong
	}
	return fsys.ReadAll(f, make([]byte, 0, p.info.Size()+1), limit)
}

// currentHash returns the hash of the file at the place now. ok is false if there is none.
func (p *place) currentHash() (hash string, ok bool, err error) {
	for range openTries {
		info, lookErr := p.dir.Lstat(p.name)
		if errors.Is(lookErr, fs.ErrNotExist) {
			return "", false, nil
		}
		if lookErr != nil {
			return "", false, lookErr
		}
		now := &place{dir: p.dir, name: p.name, path: p.path, info: info}
		hash, err = now.hash()
		if !errors.Is(err, fsys.ErrSwapped) {
			break
		}
	}
	return hash, err == nil, err
}

func (p *place) hash() (string, error) {
	f, err := p.open()
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// sniffed is the number of bytes that decide whether a file is text.
const sniffed = 8 << 10

var (
	bomUTF8    = []byte("\xef\xbb\xbf")
	bomUTF16LE = []byte("\xff\xfe")
	bomUTF16BE = []byte("\xfe\xff")
)

// Binary reports whether data, a file or its beginning, is not text: its first 8 KB contain a NUL or are mostly
// invalid UTF-8, or it is an image or a PDF. UTF-16 counts as binary.
func Binary(data []byte) bool {
	if picture.Sniff(data) != "" {
		return true
	}
	head := data[:min(len(data), sniffed)]
	if bytes.HasPrefix(head, bomUTF16LE) || bytes.HasPrefix(head, bomUTF16BE) || bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	invalid, total := 0, 0
	for len(head) > 0 {
		r, size := utf8.DecodeRune(head)
		if r == utf8.RuneError && size == 1 {
			if len(data) > sniffed && len(head) < utf8.UTFMax && !utf8.FullRune(head) {
				break // a character split by the cut
			}
			invalid++
		}
		total++
		head = head[size:]
	}
	// Latin-1 prose has at most one such byte in ten; it is shown with U+FFFD.
	return invalid*3 > total
}
