package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// file is one that is handed out, or lies in an archive; its name has slashes.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

func (f file) sum() string {
	sum := sha256.Sum256(f.data)
	return hex.EncodeToString(sum[:])
}

// base is the name that a release's files for a target begin with.
func (r release) base(t target) string {
	return fmt.Sprintf("chatvault_%s_%s_%s", r.version, t.os, t.arch)
}

// archive packs files into a folder of their own: a zip for Windows, a tar.gz for others.
func (r release) archive(t target, files []file) (file, error) {
	files = slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
	var packed bytes.Buffer
	var err error
	if t.os == "windows" {
		err = r.zip(&packed, r.base(t), files)
	} else {
		err = r.tarGz(&packed, r.base(t), files)
	}
	return file{r.archiveName(t), 0o644, packed.Bytes()}, err
}

func (r release) archiveName(t target) string {
	if t.os == "windows" {
		return r.base(t) + ".zip"
	}
	return r.base(t) + ".tar.gz"
}

func (r release) tarGz(w *bytes.Buffer, dir string, files []file) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: dir + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: r.time, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func (r release) zip(w *bytes.Buffer, dir string, files []file) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: dir + "/" + f.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(f.mode)
		in, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := in.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// compressed is a file as manual pages and texts are kept in packages.
func compressed(data []byte) []byte {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is one
	_, _ = z.Write(data)                                       // into memory
	_ = z.Close()
	return packed.Bytes()
}

// checksums is what sha256sum -c reads.
func checksums(files []file) file {
	var lines strings.Builder
	for _, f := range files {
		fmt.Fprintf(&lines, "%s  %s\n", f.sum(), f.name)
	}
	return file{"SHA256SUMS", 0o644, []byte(lines.String())}
}
