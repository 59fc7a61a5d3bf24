package packaging

import (
	"errors"
	"io"
	"path/filepath"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// go install of a version takes the module's zip, which refuses some file names that Git takes.
func TestModuleZip(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	version := module.Version{Path: "example.com/chatvault", Version: "v1.0.0"}
	err = zip.CreateFromVCS(io.Discard, version, root, "HEAD", "")
	if none := (*zip.UnrecognizedVCSError)(nil); errors.As(err, &none) {
		err = zip.CreateFromDir(io.Discard, version, root)
	}
	if err != nil {
		t.Error(err)
	}
}
