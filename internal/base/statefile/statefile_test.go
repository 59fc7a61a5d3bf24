//go:build unix

package statefile

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/base/statefile/statetest"
)

// foreign creates something other than a regular file at the given path.
var foreign = map[string]func(t *testing.T, at string){
	"pipe": func(t *testing.T, at string) { must(t, syscall.Mkfifo(at, 0o600)) },
	"socket": func(t *testing.T, at string) {
		l, err := net.Listen("unix", at)
		must(t, err)
		t.Cleanup(func() { _ = l.Close() })
	},
	"folder":   func(t *testing.T, at string) { must(t, os.Mkdir(at, 0o700)) },
	"link":     func(t *testing.T, at string) { must(t, os.Symlink("/etc/hostname", at)) },
	"dangling": func(t *testing.T, at string) { must(t, os.Symlink("nowhere", at)) },
	"inner": func(t *testing.T, at string) {
		must(t, os.WriteFile(filepath.Join(filepath.Dir(at), "y"), []byte("y"), 0o600))
		must(t, os.Symlink("y", at))
	},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	must(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// withTimeout fails a test that blocks.
func withTimeout(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Error("it waits")
	}
}

func TestForeignFiles(t *testing.T) {
	for name, put := range foreign {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "s") // short, for the socket
			must(t, err)
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			root := open(t, dir)
			put(t, filepath.Join(dir, "x"))
			withTimeout(t, func() {
				for what, err := range map[string]error{
					"read": second(Read(root, "x", 100)), "open": third(Open(root, "x", os.O_RDWR|os.O_CREATE, 0o600)), "stat": second(Stat(root, "x")),
				} {
					if !Foreign(err) || !strings.Contains(err.Error(), filepath.Join(dir, "x")+" is not a") || !strings.Contains(err.Error(), "move it away") {
						t.Errorf("%s: %v", what, err)
					}
				}
			})
			if name == "folder" {
				return
			}
			withTimeout(t, func() {
				for what, err := range map[string]error{
					"list": second(List(root, "x")), "folder": second(Folder(root, "x")), "make": MakeFolder(root, "x"), "file in it": second(Read(root, "x/y", 100)),
				} {
					if !errors.Is(err, ErrNotFolder) {
						t.Errorf("%s: %v", what, err)
					}
				}
			})
		})
	}
}

func second[T any](_ T, err error) error { return err }

func third(f *os.File, _ fs.FileInfo, err error) error {
	if f != nil {
		_ = f.Close()
	}
	return err
}

// TestTooLarge: a sparse file of two gigabytes is rejected without reading it.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	root := open(t, dir)
	must(t, os.WriteFile(filepath.Join(dir, "x"), nil, 0o600))
	must(t, os.Truncate(filepath.Join(dir, "x"), 2<<30))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(root, "x", 1<<20)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrTooLarge) || after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("%v, %d bytes", err, after.TotalAlloc-before.TotalAlloc)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	root := open(t, dir)
	if _, err := Read(root, "x", 10); !errors.Is(err, fs.ErrNotExist) || Foreign(err) {
		t.Error(err)
	}
	must(t, MakeFolder(root, "f"))
	must(t, MakeFolder(root, "f"))
	f, _, err := Open(root, "f/x", os.O_WRONLY|os.O_CREATE, 0o600)
	must(t, err)
	_, err = f.WriteString("0123456789")
	must(t, errors.Join(err, f.Close()))
	if data, err := Read(root, "f/x", 10); string(data) != "0123456789" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := Read(root, "f/x", 9); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if list, err := List(root, "f"); err != nil || len(list) != 1 || list[0].Name() != "x" {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := List(root, "."); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestConcurrentReplace: a file that another process replaces again and again is read, and never mistaken for
// something else.
func TestConcurrentReplace(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	must(t, err)
	defer func() { _ = root.Close() }()
	must(t, root.WriteFile("x", []byte("x"), 0o600))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_ = root.WriteFile("new", []byte("x"), 0o600)
				_ = root.Rename("new", "x")
			}
		}
	}()
	for range 5000 {
		if data, err := Read(root, "x", 10); Foreign(err) || err == nil && string(data) != "x" {
			t.Errorf("%q, %v", data, err)
			break
		}
	}
	close(stop)
	<-done
}

// TestReadJSON: a file is accepted only with the known schema.
func TestReadJSON(t *testing.T) {
	root := statetest.Root(t)
	for data, want := range map[string]func(error) bool{
		`{"schema":1,"n":2}`:  func(err error) bool { return err == nil },
		`{"schema":2,"n":[]}`: func(err error) bool { return errors.Is(err, ErrLater) },
		`{"n":2}`:             isInvalid,
		`{"schema":1,"n":[]}`: isInvalid,
		"{":                   isInvalid,
	} {
		if err := root.WriteFile("a.json", []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		var v struct{ N int }
		if err := ReadJSON(root, "a.json", 100, 1, &v); !want(err) || err == nil && v.N != 2 {
			t.Errorf("%s: %+v, %v", data, v, err)
		}
	}
	if err := ReadJSON(root, "b.json", 100, 1, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func isInvalid(err error) bool {
	_, is := errors.AsType[Senseless](err)
	return is
}
