package index

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"chatvault/vault/fsys"
)

// osDisk reads a folder without an index and counts its operations.
type osDisk struct {
	dir    string
	mu     sync.Mutex
	opened map[string]int
	reads  int
}

func newOSDisk(dir string) *osDisk { return &osDisk{dir: dir, opened: map[string]int{}} }

func (d *osDisk) Close() error { return nil }

func (d *osDisk) Open(path string) (fsys.Folder, error) {
	d.mu.Lock()
	d.opened[path]++
	d.mu.Unlock()
	f, err := os.OpenFile(filepath.Join(d.dir, path), unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	return &osDir{d, f}, nil
}

// counts returns the number of opened folders and read files since the last call.
func (d *osDisk) counts() (opened, reads int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.opened {
		opened += n
	}
	reads = d.reads
	d.opened, d.reads = map[string]int{}, 0
	return opened, reads
}

type osDir struct {
	disk *osDisk
	f    *os.File
}

func (d *osDir) Close() { _ = d.f.Close() }

func (d *osDir) Descriptor() int { return int(d.f.Fd()) }

func (d *osDir) Entries(yield func(string, fsys.Kind) bool) error {
	list, err := os.ReadDir(d.f.Name())
	for _, e := range list {
		kind := fsys.KindOther
		switch {
		case e.Type().IsRegular():
			kind = fsys.KindFile
		case e.IsDir():
			kind = fsys.KindFolder
		}
		if !yield(e.Name(), kind) {
			break
		}
	}
	return err
}

func statOf(info fs.FileInfo) fsys.Stat {
	sys, _ := info.Sys().(*syscall.Stat_t)
	st := fsys.Stat{
		Size: sys.Size, Modified: sys.Mtim.Nano(), Changed: sys.Ctim.Nano(), Inode: sys.Ino, Device: sys.Dev,
		Access: sys.Mode, Links: uint16(sys.Nlink),
	}
	switch {
	case info.Mode().IsRegular():
		st.Kind = fsys.KindFile
	case info.IsDir():
		st.Kind = fsys.KindFolder
	}
	return st
}

func (d *osDir) Stat(name string) (fsys.Stat, error) {
	info, err := os.Lstat(filepath.Join(d.f.Name(), name))
	if err != nil {
		return fsys.Stat{}, err
	}
	return statOf(info), nil
}

func (d *osDir) OpenFile(name string) (fsys.File, error) {
	d.disk.mu.Lock()
	d.disk.reads++
	d.disk.mu.Unlock()
	f, err := os.Open(filepath.Join(d.f.Name(), name))
	return osFile{f}, err
}

type osFile struct{ *os.File }

func (f osFile) Stat() (fsys.Stat, error) {
	info, err := f.File.Stat()
	if err != nil {
		return fsys.Stat{}, err
	}
	return statOf(info), nil
}

// indexed is the index of a folder for a test, with its notifications.
type indexed struct {
	*Index
	t        *testing.T
	dir      string
	disk     *osDisk
	mu       sync.Mutex
	notified []string
	errs     []error
}

// startTest starts an index of a new folder with some files; set may change the options.
func startTest(t *testing.T, files map[string]string, set func(*Options)) *indexed {
	t.Helper()
	x := &indexed{t: t, dir: t.TempDir()}
	for name, text := range files {
		x.write(name, text)
	}
	x.disk = newOSDisk(x.dir)
	o := Options{
		Disk: x.disk, Dir: x.dir, Quiet: time.Millisecond, TextBytes: 1 << 20,
		Visible: func(_, name string) bool { return !strings.HasPrefix(name, ".") },
		IsNote:  func(name string) bool { return strings.HasSuffix(name, ".md") },
		Keep:    func(name string) bool { return strings.HasSuffix(name, ".md") },
		OnChange: func(paths []string) {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.notified = append(x.notified, paths...)
		},
		OnFault: func(err error) {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.errs = append(x.errs, err)
		},
	}
	if set != nil {
		set(&o)
	}
	x.Index = Start(o)
	t.Cleanup(x.Close)
	x.settle()
	return x
}

func (x *indexed) settle() {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := x.Settle(ctx); err != nil {
		x.t.Fatal(err)
	}
}

func (x *indexed) write(name, text string) {
	x.t.Helper()
	name = filepath.Join(x.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		x.t.Fatal(err)
	}
}

// view returns the content of the index: for each path the size and, if stored, the text.
func (x *indexed) view() map[string]string {
	x.t.Helper()
	root := x.View(context.Background())
	if root == nil {
		return nil
	}
	all := map[string]string{}
	root.each("", func(path string, folder *Folder) {
		for _, f := range folder.Files {
			all[join(path, f.Name)] = "?"
			if t := f.Text(); t != nil {
				all[join(path, f.Name)] = string(t.Data)
			}
		}
	})
	return all
}

// each calls visit for every folder at any depth below f, then for f itself, which is at path.
func (f *Folder) each(path string, visit func(path string, f *Folder)) {
	for _, sub := range f.Folders {
		sub.each(join(path, sub.Name), visit)
	}
	visit(path, f)
}

func (x *indexed) takeNotified() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	notified := strings.Join(x.notified, " ")
	x.notified = nil
	return notified
}
