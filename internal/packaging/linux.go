package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // a format
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // a format
)

// described is what package managers show.
const described = `Chat with your vault of Markdown notes, in the terminal
An agent reads, searches, writes, edits and moves the notes of a vault of
Markdown (an Obsidian vault, or any folder): it says what it is doing, asks
when it has to, stops at once, and everything that it changed can be undone.`

// systemPackage makes a package for Debian (deb) or for Fedora, openSUSE and others (rpm). It has no scripts:
// to install and to remove it only puts its own files there and takes them away.
func (r release) systemPackage(format string, t target, bin []byte, docs []file, pages told, work string) (file, error) {
	contents, err := lay(filepath.Join(work, format+t.arch), r.installed(format, bin, docs, pages), r.time)
	if err != nil {
		return file{}, err
	}
	for _, dir := range []string{"/usr/share/doc/chatvault", "/usr/share/doc/chatvault/docs"} { // rpm removes those it is told of
		contents = append(contents, &files.Content{
			Destination: dir, Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: 0o755, MTime: r.time},
		})
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "chatvault", Arch: t.arch, Platform: t.os, Version: r.version, Release: "1",
		Section: "utils", Priority: "optional", Maintainer: r.maintainer, Description: described, License: "MIT", Homepage: r.url,
		MTime: r.time, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Contents: contents,
			Deb:      nfpm.Deb{Compression: "xz"},
			RPM:      nfpm.RPM{Compression: "xz", BuildHost: "localhost", Group: "Applications/Text"},
		},
	})
	packager, err := nfpm.Get(format)
	if err != nil {
		return file{}, err
	}
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return file{}, err
	}
	var out bytes.Buffer
	if err := packager.Package(info, &out); err != nil {
		return file{}, err
	}
	return file{packager.ConventionalFileName(info), 0o644, out.Bytes()}, nil
}

// installed are the files of a package, where they go.
func (r release) installed(format string, bin []byte, docs []file, pages told) []file {
	doc, zsh := "/usr/share/doc/chatvault/", "/usr/share/zsh/site-functions/"
	list := []file{
		{"/usr/bin/chatvault", 0o755, bin},
		{"/usr/share/bash-completion/completions/chatvault", 0o644, pages.completions["bash"]},
		{"/usr/share/fish/vendor_completions.d/chatvault.fish", 0o644, pages.completions["fish"]},
	}
	for _, d := range docs {
		if format == "rpm" {
			list = append(list, file{doc + d.name, 0o644, d.data})
			continue
		}
		switch { // as Debian's policy has it
		case d.name == "LICENSE":
			list = append(list, file{doc + "copyright", 0o644, debianCopyright(d.data)})
		case d.name == "CHANGELOG.md":
			list = append(list, file{doc + "changelog.gz", 0o644, compressed(d.data)})
		case len(d.data) > 4096 && !strings.HasSuffix(d.name, ".svg"):
			list = append(list, file{doc + d.name + ".gz", 0o644, compressed(d.data)})
		default:
			list = append(list, file{doc + d.name, 0o644, d.data})
		}
	}
	if format == "deb" {
		zsh = "/usr/share/zsh/vendor-completions/"
		list = append(list,
			file{doc + "changelog.Debian.gz", 0o644, compressed(r.debianChangelog())},
			// Go's binaries hold all they need: that is how one serves every system.
			file{"/usr/share/lintian/overrides/chatvault", 0o644, []byte("chatvault: statically-linked-binary [usr/bin/chatvault]\n")},
		)
	}
	list = append(list, file{zsh + "_chatvault", 0o644, pages.completions["zsh"]})
	for _, p := range pages.man {
		list = append(list, file{"/usr/share/man/man1/" + p.name + ".gz", 0o644, compressed(p.data)})
	}
	return list
}

func debianCopyright(licence []byte) []byte {
	return fmt.Appendf(nil, "%s\n\nThe libraries in the binary are under licences of their own, which\n/usr/share/doc/chatvault/NOTICES.txt.gz names and quotes.\n", bytes.TrimSpace(licence))
}

func (r release) debianChangelog() []byte {
	return fmt.Appendf(nil, "chatvault (%s-1) unstable; urgency=medium\n\n  * Release %s; changelog.gz says what is new.\n\n -- %s  %s\n",
		strings.Replace(r.version, "-", "~", 1), r.version, r.maintainer, r.time.Format(time.RFC1123Z))
}

// lay writes files below dir, for nfpm to read.
func lay(dir string, list []file, at time.Time) (contents files.Contents, err error) {
	for _, f := range list {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, f.data, 0o644); err != nil {
			return nil, err
		}
		contents = append(contents, &files.Content{
			Source: path, Destination: f.name,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode, MTime: at},
		})
	}
	return contents, nil
}
