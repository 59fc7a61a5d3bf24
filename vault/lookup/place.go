package lookup

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"syscall"

	"chatvault/vault/fsys"
	"chatvault/vault/vaulterr"
)

// MustBeFile returns an error for anything but a regular file on this computer.
func (p *Place) MustBeFile(given string) error {
	switch {
	case p.Info.IsDir():
		return vaulterr.New(vaulterr.KindIsFolder, given, "%s is a folder, not a file. Name a file in it.", vaulterr.Quote(p.Path))
	case !p.Info.Mode().IsRegular():
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is not a regular file (a pipe, socket or device).", vaulterr.Quote(p.Path))
	case fsys.IsDataless(p.Info):
		return NotDownloaded(given, p.Path)
	}
	return nil
}

// Open opens the regular file of the place and verifies that it is the one that was looked up. It does not block:
// with O_NONBLOCK, even a pipe opens, and is then rejected.
func (p *Place) Open() (*os.File, error) {
	f, err := p.Dir.OpenFile(p.Name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!os.SameFile(info, p.Info) || !info.Mode().IsRegular()) {
		err = fsys.ErrSwapped
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	p.Info = info
	return f, nil
}

// Content reads the open file of the place. If it is longer than limit, the error is fsys.ErrTooLong.
func (p *Place) Content(f *os.File, limit int64) ([]byte, error) {
	if p.Info.Size() > limit {
		return nil, fsys.ErrTooLong
	}
	return fsys.ReadAll(f, make([]byte, 0, p.Info.Size()+1), limit)
}

// Hash returns the hash of the file.
func (p *Place) Hash() (string, error) {
	f, err := p.Open()
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
