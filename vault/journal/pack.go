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
)

const (
	packsName = "packs"
	packExt   = ".pack"
)

// pack is a file of many objects: a line of JSON that says which, and their bytes one after the
// other. Its name is the print of that line.
type pack struct {
	name    string
	size    int64
	entries map[string]span
}

// span is where an object is in its pack.
type span struct{ at, size int64 }

// packHead is the first line of a pack.
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
	o.know(name, int64(b.Len()), int64(len(head)), h)
	return nil
}

// know keeps a pack's index.
func (o *objects) know(name string, size, at int64, h packHead) {
	if o.packs == nil {
		o.packs = map[string]*pack{}
	}
	p := &pack{name: name, size: size, entries: make(map[string]span, len(h.Objects))}
	for _, e := range h.Objects {
		p.entries[e.Print] = span{at, e.Size}
		at += e.Size
	}
	o.packs[name] = p
}

// inPack finds an object among the packs that are known.
func (o *objects) inPack(print string) (p *pack, at span, ok bool) {
	for _, p = range o.packs {
		if at, ok = p.entries[print]; ok {
			return p, at, true
		}
	}
	return nil, span{}, false
}

// readPacks reads the index of every pack that is not known, and says whether there was one.
func (o *objects) readPacks() (found bool) {
	names, err := fs.ReadDir(o.root.FS(), packsName)
	if err != nil {
		return false
	}
	for _, e := range names {
		if name := e.Name(); strings.HasSuffix(name, packExt) && o.packs[name] == nil {
			if err := o.readIndex(name); err == nil {
				found = true
			} else if errors.Is(err, errNoPack) {
				o.setAside(path.Join(packsName, name))
			}
		}
	}
	return found
}

var errNoPack = errors.New("is no pack")

// maxPackHead bounds the first line of a pack, in bytes.
const maxPackHead = 64 << 20

func (o *objects) readIndex(name string) error {
	f, err := o.root.OpenFile(path.Join(packsName, name), os.O_RDONLY|openFlags, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	line, err := bufio.NewReaderSize(io.LimitReader(f, maxPackHead), 64<<10).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var h packHead
	switch {
	case Print(line)+packExt != name, json.Unmarshal(line, &h) != nil:
		return errNoPack
	case h.Schema > schema:
		return fmt.Errorf("%s was written by a later version of chatvault", name)
	}
	o.know(name, info.Size(), int64(len(line)), h)
	return nil
}

// readPack reads an object out of a pack.
func (o *objects) readPack(p *pack, at span) ([]byte, error) {
	f, err := o.root.OpenFile(path.Join(packsName, p.name), os.O_RDONLY|openFlags, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			delete(o.packs, p.name)
		}
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data := make([]byte, at.size)
	if _, err := f.ReadAt(data, at.at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}
