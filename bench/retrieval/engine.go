package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// engine asks the program itself, as its user would: the notes it ranks are those its
// answer cites, in that order.
type engine struct {
	binary string
	vault  string // a copy: asking leaves traces in the vault
	home   string // nobody's settings, models or keys
}

// newEngine copies the vault to a folder of its own below scratch.
func newEngine(binary, vault, scratch string) (*engine, error) {
	dir, err := os.MkdirTemp(scratch, "vault")
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(filepath.Join(dir, "vault"), os.DirFS(vault)); err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	return &engine{binary, filepath.Join(dir, "vault"), home}, nil
}

// citation is a note and a line of it as an answer names them.
var citation = regexp.MustCompile(`\[\[[^\]\n]+\]\] \(([^\n]+?\.md):\d+(?:-\d+)?\)`)

// search returns the paths that the answer to a question cites, in their order.
func (e *engine) search(text string) ([]string, error) {
	answer, err := e.ask(text)
	if err != nil {
		return nil, err
	}
	return citedPaths(answer), nil
}

// ask returns the whole answer.
func (e *engine) ask(text string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.binary, "--vault", e.vault, "--offline", "ask", text)
	cmd.Env = []string{"HOME=" + e.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "NO_COLOR=1"}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	// An answer that ends in a question of the engine's leaves with status 3.
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
