package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// component is a library, or data of others, that is in a binary.
type component struct {
	path, version string
	licence       string // an SPDX expression
	texts         []string
}

// accepted are the licences under which a binary may be handed out by who keeps the notices; any other, or
// none, is an error until somebody has read it.
var accepted = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "Unlicense", "Zlib"}

// unlinked are licences, by module, of a package in it that no binary of ours holds: Chroma's file has that of the
// font in its formatter for SVG, beside its own.
var unlinked = map[string]string{"github.com/alecthomas/chroma/v2": "OFL-1.1"}

// recognised is how much of a licence's file has to be the licence's text, in percent: the rest is names and headings.
const recognised = 75

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([-._].*)?$`)
	noticeFile  = regexp.MustCompile(`(?i)^(notice|patents)(\.(md|txt))?$`)
)

// file is one about licences.
type file struct {
	name string
	data []byte
}

// about says whether a file's name is that of a licence, or of what a licence wants kept.
func about(name string) bool {
	return (licenceFile.MatchString(name) || noticeFile.MatchString(name)) && path.Ext(name) != ".go"
}

// read takes what a component's files about licences say.
func (c *component) read(files []file) error {
	var found []string
	for _, f := range files {
		c.texts = append(c.texts, string(f.data))
		if !licenceFile.MatchString(f.name) {
			continue
		}
		ids, err := licencesIn(f.data, unlinked[c.path])
		if err != nil {
			return fmt.Errorf("%s of %s@%s %w", f.name, c.path, c.version, err)
		}
		found = append(found, ids...)
	}
	if len(found) == 0 {
		return fmt.Errorf("%s@%s has no licence in its folder: nobody may hand it out", c.path, c.version)
	}
	slices.Sort(found)
	c.licence = strings.Join(slices.Compact(found), " AND ")
	return nil
}

// licencesIn names the licences that a text holds, all of them accepted, but for the one to be left out.
func licencesIn(text []byte, leave string) (ids []string, err error) {
	scan := licensecheck.Scan(text)
	for _, m := range scan.Match {
		if m.ID == leave {
			continue
		}
		if !m.IsURL && !slices.Contains(accepted, m.ID) {
			return nil, fmt.Errorf("is %s, which is not among those that are accepted (%s)", m.ID, strings.Join(accepted, ", "))
		}
		if !m.IsURL {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 || scan.Percent < recognised {
		return nil, fmt.Errorf("is no licence that is recognised (%.0f%% is one of %q)", scan.Percent, ids)
	}
	return ids, nil
}

// module is one that go list names, where it lies in the module cache.
type module struct{ path, version, dir string }

// components are all that is in the binaries, by path: the modules, Go itself, and the data.
func (r release) components() ([]component, error) {
	used := map[module][]string{} // the folders of the packages that are used
	for _, t := range targets {
		said, err := r.goFor(t, "list", "-deps", "-json=Dir,Module", ".").Output()
		if err != nil {
			return nil, fmt.Errorf("what %s is built of: %w", t.os+"/"+t.arch, explained(err))
		}
		if err := addModules(used, said); err != nil {
			return nil, err
		}
	}
	golang, err := r.golang()
	if err != nil {
		return nil, err
	}
	data, err := r.data()
	if err != nil {
		return nil, err
	}
	list := []component{golang, data}
	for m, folders := range used {
		c, err := m.component(folders)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b component) int { return cmp.Compare(a.path, b.path) })
	return list, nil
}

// component reads the licences of a module of which the packages in folders are used.
func (m module) component(folders []string) (component, error) {
	c := component{path: m.path, version: m.version}
	files, err := filesAbove(m.dir, folders)
	if err != nil {
		return c, err
	}
	return c, c.read(files)
}

// addModules reads what go list says of packages; our own, and those of Go itself, are left out.
func addModules(used map[module][]string, said []byte) error {
	type listed struct {
		Path, Version, Dir string
		Main               bool
		Replace            *listed
	}
	for d := json.NewDecoder(bytes.NewReader(said)); ; {
		var p struct {
			Dir    string
			Module *listed
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		m := p.Module
		if m == nil || m.Main {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		key := module{m.Path, m.Version, m.Dir}
		used[key] = append(used[key], p.Dir)
	}
}

// filesAbove reads the texts about licences in the folders and in those above them, up to top.
func filesAbove(top string, folders []string) (files []file, err error) {
	all := map[string]bool{top: true}
	for _, dir := range folders {
		for ; len(dir) > len(top); dir = filepath.Dir(dir) {
			all[dir] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		here, err := filesIn(os.DirFS(dir))
		if err != nil {
			return nil, err
		}
		files = append(files, here...)
	}
	return files, nil
}

// filesIn reads the texts about licences at the top of a folder.
func filesIn(dir fs.FS) (files []file, err error) {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !about(e.Name()) {
			continue
		}
		data, err := fs.ReadFile(dir, e.Name())
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: e.Name(), data: data})
	}
	return files, nil
}

// golang is Go's own library, which is in every binary.
func (r release) golang() (c component, err error) {
	said, err := r.goFor(targets[0], "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return c, fmt.Errorf("go env: %w", explained(err))
	}
	version, root, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	c = component{path: "std", version: strings.TrimPrefix(version, "go")}
	files, err := filesAbove(root, nil)
	if err == nil {
		err = c.read(files)
	}
	return c, err
}

// data is what the table of models was made of (agent/llm/models/generate.go). Its module is no part of
// what go list knows: its Go may even be newer than ours.
func (r release) data() (c component, err error) {
	table, err := os.Open(filepath.Join(r.root, "agent", "llm", "models", "models.tsv.gz"))
	if err != nil {
		return c, err
	}
	defer func() { _ = table.Close() }()
	unpacked, err := gzip.NewReader(table)
	if err != nil {
		return c, err
	}
	head, err := bufio.NewReader(unpacked).ReadString('\n')
	if err != nil {
		return c, err
	}
	if n, err := fmt.Sscanf(strings.ReplaceAll(head, ",", " "), "# %s %s", &c.path, &c.version); n != 2 {
		return c, fmt.Errorf("the table of models does not say what it was made of: %w", err)
	}
	// It fails where the module wants a newer Go, and has fetched it all the same.
	said, failed := r.goFor(targets[0], "mod", "download", "-json", c.path+"@"+c.version).Output()
	var got struct{ Zip string }
	if err := json.Unmarshal(said, &got); err != nil || got.Zip == "" {
		return c, fmt.Errorf("%s@%s cannot be had: %w", c.path, c.version, errors.Join(explained(failed), err))
	}
	z, err := zip.OpenReader(got.Zip)
	if err != nil {
		return c, err
	}
	defer func() { _ = z.Close() }()
	top, err := fs.Sub(z, c.path+"@"+c.version)
	if err != nil {
		return c, err
	}
	files, err := filesIn(top)
	if err == nil {
		err = c.read(files)
	}
	return c, err
}

// notices are the texts that the licences of what is inside want kept.
func notices(parts []component) []byte {
	var out strings.Builder
	out.WriteString("chatvault is under the MIT License (see LICENSE). In its binary are, under licences of their own:\n")
	of := map[string][]string{}
	var texts []string
	for _, c := range parts {
		name := c.path + " " + c.version
		fmt.Fprintf(&out, "\n  %s: %s", name, c.licence)
		for _, text := range c.texts {
			if of[text] == nil {
				texts = append(texts, text)
			}
			of[text] = append(of[text], name)
		}
	}
	out.WriteString("\n\n\"std\" is the library of Go itself.\n")
	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("-", 72), strings.Join(of[text], "\n"), strings.TrimSpace(text))
	}
	return []byte(out.String())
}
