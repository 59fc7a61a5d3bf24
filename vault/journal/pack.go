package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

const (
	packsName = "packs"
	packExt   = ".pack"
)

// A pack is a file of many objects: a header line of JSON followed by their contents. Its name is the hash of that
// line.

// span is the position of an object in a pack.
type span struct {
	pack     string
	at, size int64
}

// packHead is the header line of a pack.
type packHead struct {
	Schema  int         `json:"schema"`
	Objects []packEntry `json:"objects"`
}

type packEntry struct {
	Print string `json:"print"`
	Size  int64  `json:"size"`
}

// putPack writes objects into a new pack.
func (o *objects) putPack(all map[string][]byte) error {
	sub, err := openFolder(o.root, packsName, true)
	if err != nil {
		return err
	}
	_ = sub.Close()
	h := packHead{Schema: schema}
	prints, size := slices.Sorted(maps.Keys(all)), 0
	for _, print := range prints {
		h.Objects = append(h.Objects, packEntry{print, int64(len(all[print]))})
		size += len(all[print])
	}
	head, err := marshal(h)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.Grow(len(head) + size)
	b.Write(head)
	for _, print := range prints {
		b.Write(all[print])
	}
	name := Print(head) + packExt
	if err := atomicfile.WriteFile(o.root, path.Join(packsName, name), b.Bytes(), 0o600); err != nil {
		return err
	}
	o.addIndex(name, int64(len(head)), h)
	return nil
}

// addIndex adds the index of a pack whose objects begin at offset at.
func (o *objects) addIndex(name string, at int64, h packHead) {
	if o.packs == nil {
		o.packs, o.packed = map[string]bool{}, map[string]span{}
	}
	o.packs[name] = true
	for _, e := range h.Objects {
		o.packed[e.Print] = span{name, at, e.Size}
		at += e.Size
	}
}

// removeIndex removes a pack's index.
func (o *objects) removeIndex(name string) {
	delete(o.packs, name)
	for print, at := range o.packed {
		if at.pack == name {
			delete(o.packed, print)
		}
	}
}

// readPacks reads the index of every new pack and reports whether there was one.
func (o *objects) readPacks() (found bool) {
	names, err := statefile.List(o.root, packsName)
	if err != nil {
		return false
	}
	for _, e := range names {
		if name := e.Name(); strings.HasSuffix(name, packExt) && !o.packs[name] {
			if err := o.readIndex(name); err == nil {
				found = true
			} else if errors.Is(err, errNoPack) {
				o.setAside(path.Join(packsName, name))
			}
		}
	}
	return found
}

var errNoPack = errors.New("is not a pack")

// maxPackHead limits the header line of a pack, in bytes.
const maxPackHead = 64 << 20

func (o *objects) readIndex(name string) error {
	f, _, err := statefile.Open(o.root, path.Join(packsName, name), os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	line, err := bufio.NewReaderSize(io.LimitReader(f, maxPackHead), 64<<10).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var h packHead
	switch {
	case Print(line)+packExt != name, json.Unmarshal(line, &h) != nil,
		slices.ContainsFunc(h.Objects, func(e packEntry) bool { return e.Size < 0 || e.Size > maxObject }):
		return errNoPack
	case h.Schema > schema:
		return fmt.Errorf("%s was written by a later version of chatvault", name)
	}
	o.addIndex(name, int64(len(line)), h)
	return nil
}

// readPack reads an object from its pack.
func (o *objects) readPack(at span) ([]byte, error) {
	f, info, err := statefile.Open(o.root, path.Join(packsName, at.pack), os.O_RDONLY, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			o.removeIndex(at.pack)
		}
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if at.at < 0 || at.size < 0 || at.at > info.Size() || at.size > info.Size()-at.at || at.size > maxTurnFile {
		return nil, io.ErrUnexpectedEOF
	}
	data := make([]byte, at.size)
	_, err = f.ReadAt(data, at.at)
	return data, err
}
