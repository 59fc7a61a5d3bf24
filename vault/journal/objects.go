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

// maxObject bounds an object that is read, in bytes; none that is kept is as long.
const maxObject = 128 << 20

// packFrom is the number of new objects from which they go into one pack: one flush of the disk
// instead of one each.
const packFrom = 4

// Print is the print by which bytes are known: hexadecimal SHA-256.
func Print(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// IsPrint says whether a text is the print of bytes; others stand for what was too large to read.
func IsPrint(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

// objects keep bytes by their print, once each.
type objects struct {
	parent *os.Root        // the journal's folder
	root   *os.Root        // the objects' own; nil: not opened yet
	packs  map[string]bool // that are known, by name
	packed map[string]span // what is in them
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

// loose is where an object has a file of its own.
func loose(print string) string { return print[:2] + "/" + print }

// put keeps bytes, durably, by their prints; those that are kept already stay as they are.
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
		wg.Go("journal objects", func() { errs[i] = atomicfile.WriteFile(o.root, loose(print), fresh[print], 0o600) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// has says whether bytes are kept, and are what they are to be: somebody may have put others there.
func (o *objects) has(print string) bool {
	if _, err := o.root.Lstat(loose(print)); err != nil && o.packed[print] == (span{}) {
		return false
	}
	_, err := o.get(print)
	return err == nil
}

// get returns kept bytes; fs.ErrNotExist where they are not kept, or damaged.
func (o *objects) get(print string) ([]byte, error) {
	missing := &fs.PathError{Op: "read", Path: print, Err: fs.ErrNotExist}
	if !IsPrint(print) {
		return nil, missing
	}
	if err := o.open(); err != nil {
		return nil, err
	}
	data, err := readRegular(o.root, loose(print))
	switch {
	case err == nil && Print(data) == print:
		return data, nil
	case err == nil:
		o.setAside(loose(print))
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
	case err != nil || Print(data) != print: // the others in it may be whole
		o.warn(fmt.Sprintf("Kept bytes in the journal are damaged (%s)", filepath.Join(o.root.Name(), packsName, at.pack)))
		return nil, missing
	}
	return data, nil
}

// setAside puts a damaged file out of the way.
func (o *objects) setAside(name string) {
	where, err := atomicfile.SetAside(o.root, name)
	if err != nil {
		o.warn(fmt.Sprintf("Kept bytes in the journal are damaged and could not be set aside: %v", err))
		return
	}
	o.warn(fmt.Sprintf("Kept bytes in the journal are damaged and were set aside as %s", filepath.Join(o.root.Name(), where)))
}
