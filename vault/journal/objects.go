package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"chatvault/internal/atomicfile"
	"chatvault/internal/routine"
)

const objectsName = "objects"

// maxObject is the limit for reading an object, in bytes. Stored objects are shorter.
const maxObject = 128 << 20

// packFrom is the number of new objects from which they are stored in one pack, with one fsync instead of one each.
const packFrom = 4

// Print returns the hexadecimal SHA-256 of data, the key of an object.
func Print(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// IsPrint reports whether s is a result of Print. Other strings represent content that was too large to read.
func IsPrint(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

// objects is a content-addressed store.
type objects struct {
	parent *os.Root        // the journal's folder
	root   *os.Root        // the objects folder; nil until opened
	packs  map[string]bool // names of the packs whose index was read
	packed map[string]span // positions of their objects
	warn   func(string)
}

func (o *objects) close() error {
	if o.root == nil {
		return nil
	}
	return o.root.Close()
}

func (o *objects) open() error {
	if o.root != nil {
		return nil
	}
	root, err := openFolder(o.parent, objectsName, false)
	if err != nil {
		return err
	}
	o.root = root
	return nil
}

// objectPath returns the path of an object in a file of its own.
func objectPath(print string) string { return print[:2] + "/" + print }

// put stores contents by their hashes, durably. Existing objects are unchanged.
func (o *objects) put(all map[string][]byte) error {
	if len(all) == 0 {
		return nil
	}
	if err := o.open(); err != nil {
		return err
	}
	o.readPacks()
	fresh := map[string][]byte{}
	for print, data := range all {
		if IsPrint(print) && !o.has(print) {
			fresh[print] = data
		}
	}
	if len(fresh) >= packFrom {
		return o.putPack(fresh)
	}
	for print := range fresh {
		sub, err := openFolder(o.root, print[:2], true)
		if err != nil {
			return err
		}
		_ = sub.Close()
	}
	errs := make([]error, len(fresh))
	var wg routine.Group
	for i, print := range slices.Sorted(maps.Keys(fresh)) {
		wg.Go("journal objects", func() { errs[i] = atomicfile.WriteFile(o.root, objectPath(print), fresh[print], 0o600) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// has reports whether the content is stored and undamaged.
func (o *objects) has(print string) bool {
	if _, err := o.root.Lstat(objectPath(print)); err != nil && o.packed[print] == (span{}) {
		return false
	}
	_, err := o.get(print)
	return err == nil
}

// get returns stored content. The error is fs.ErrNotExist if it is missing or damaged.
func (o *objects) get(print string) ([]byte, error) {
	missing := &fs.PathError{Op: "read", Path: print, Err: fs.ErrNotExist}
	if !IsPrint(print) {
		return nil, missing
	}
	if err := o.open(); err != nil {
		return nil, err
	}
	data, err := readRegular(o.root, objectPath(print))
	switch {
	case err == nil && Print(data) == print:
		return data, nil
	case err == nil:
		o.setAside(objectPath(print))
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	at, ok := o.packed[print]
	if !ok && o.readPacks() {
		at, ok = o.packed[print]
	}
	if !ok {
		return nil, missing
	}
	data, err = o.readPack(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, err
	case err != nil || Print(data) != print: // other objects in the pack may be intact
		o.warn(fmt.Sprintf("Kept bytes in the journal are damaged (%s)", filepath.Join(o.root.Name(), packsName, at.pack)))
		return nil, missing
	}
	return data, nil
}

// setAside renames a damaged file.
func (o *objects) setAside(name string) {
	where, err := atomicfile.SetAside(o.root, name)
	if err != nil {
		o.warn(fmt.Sprintf("Kept bytes in the journal are damaged and could not be set aside: %v", err))
		return
	}
	o.warn(fmt.Sprintf("Kept bytes in the journal are damaged and were set aside as %s", filepath.Join(o.root.Name(), where)))
}
