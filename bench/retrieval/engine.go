package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// engine asks the questions through the chatvault binary. Its ranking is the order in which an answer cites
// notes.
type engine struct {
	binary string
	vault  string   // a copy, because the program keeps state in the vault
	home   string   // an empty home folder, without settings, models or keys
	source string   // the original vault
	before string   // hash of the copy, see contents
	harm   []string // one line for each question that changed the vault
}

// newEngine copies the vault to a new folder below scratch.
func newEngine(binary, vault, scratch string) (*engine, error) {
	dir, err := os.MkdirTemp(scratch, "vault")
	if err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	e := &engine{binary: binary, vault: filepath.Join(dir, "vault"), home: home, source: vault}
	if err := e.restore(); err != nil {
		return nil, err
	}
	e.before, err = contents(e.vault)
	return e, err
}

// restore replaces the copy with a new one.
func (e *engine) restore() error {
	if err := os.RemoveAll(e.vault); err != nil {
		return err
	}
	return os.CopyFS(e.vault, os.DirFS(e.source))
}

// contents returns a hash of the names and contents of all files in a vault, except those in hidden folders.
func contents(vault string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(vault, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != vault:
			return filepath.SkipDir
		}
		_, _ = fmt.Fprintf(h, "%q\n", path)
		if d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		_, _ = fmt.Fprintf(h, "%q\n", data)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

// citation matches a note in an answer, with or without line numbers. Its group is the path.
var citation = regexp.MustCompile(`\[\[[^\]\n]+\]\] \(([^\n]+?\.md)(?::\d+(?:-\d+)?)?\)`)

// search returns the paths that the answer to a question cites, first citation first. If the vault was changed, search
// adds a line to harm and restores the copy.
func (e *engine) search(text string) ([]string, error) {
	answer, err := e.ask(text)
	if err != nil {
		return nil, err
	}
	now, err := contents(e.vault)
	if err != nil {
		return nil, err
	}
	if now != e.before {
		first, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
		e.harm = append(e.harm, fmt.Sprintf("%q changed the vault: %s", text, first))
		if err := e.restore(); err != nil {
			return nil, err
		}
	}
	return citedPaths(answer), nil
}

// ask returns the program's answer to a question.
func (e *engine) ask(text string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.binary, "--vault", e.vault, "--offline", "ask", text)
	cmd.Env = []string{"HOME=" + e.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "NO_COLOR=1"}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	// Status 3 means that the answer ends with a question from the engine.
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 3) {
		return "", fmt.Errorf("%s ask %q: %w\n%s", e.binary, text, err, complaint.Bytes())
	}
	return string(out), nil
}

func citedPaths(answer string) []string {
	var paths []string
	for _, m := range citation.FindAllStringSubmatch(answer, -1) {
		if !slices.Contains(paths, m[1]) {
			paths = append(paths, m[1])
		}
	}
	return paths
}
