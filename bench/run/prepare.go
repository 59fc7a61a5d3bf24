//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// bench holds the state that the measurements share.
type bench struct {
	options
	root    string         // root folder of the repository
	env     []string       // environment of measured programs
	binary  string         // path of the chatvault binary
	vaults  map[int]string // paths of generated vaults by number of notes
	after   []string       // texts to print after the table
	rows    []row          // reported so far
	earlier figures        // figures of an earlier run; nil if nothing is compared
}

// prepare returns a bench for the repository in the working folder. It builds chatvault unless the options
// name a binary.
func prepare(ctx context.Context, o options) (*bench, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, "bench", "run", "prepare.go")); err != nil {
		return nil, errors.New("start it from the root of the repository: go run ./bench/run")
	}
	if o.keep, err = filepath.Abs(o.keep); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(o.keep, "home"), 0o700); err != nil {
		return nil, err
	}
	b := &bench{options: o, root: root, vaults: map[int]string{}}
	// Ignore the user's configuration and keys.
	home := filepath.Join(o.keep, "home")
	for _, e := range os.Environ() {
		switch name, _, _ := strings.Cut(e, "="); name {
		case "HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL", "CHATVAULT_MODEL", "CHATVAULT_VAULT",
			"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "RIPGREP_CONFIG_PATH", "NO_COLOR":
			continue
		}
		b.env = append(b.env, e)
	}
	b.env = append(b.env, "HOME="+home, "LC_ALL=C.UTF-8",
		"XDG_CONFIG_HOME="+home+"/config", "XDG_STATE_HOME="+home+"/state", "XDG_DATA_HOME="+home+"/data")
	if b.binary = o.chatvault; b.binary == "" {
		if b.binary, err = b.build(ctx, "chatvault", ".", "."); err != nil {
			return nil, err
		}
		return b, nil
	}
	b.binary, err = filepath.Abs(b.binary)
	return b, err
}

// build builds a package of the module in folder and returns the path of the binary.
func (b *bench) build(ctx context.Context, name, folder, pkg string) (string, error) {
	out := filepath.Join(b.keep, "bin", name)
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return "", err
	}
	if err := b.goTool(ctx, folder, nil, "build", "-trimpath", "-ldflags", "-s -w", "-o", out, pkg); err != nil {
		return "", fmt.Errorf("cannot build %s: %w", name, err)
	}
	return out, nil
}

// goTool runs the go command in a folder of the repository. out receives its standard output and may be nil.
func (b *bench) goTool(ctx context.Context, folder string, out *bytes.Buffer, args ...string) error {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = filepath.Join(b.root, folder)
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "CGO_ENABLED=0") // as in make build
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if out != nil {
		c.Stdout = out
	}
	if err := c.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return nil
}

// sizeSuffix returns a suffix for row names with the size of the vault. It is empty for the first vault.
func (b *bench) sizeSuffix(notes int) string {
	if notes == b.sizes[0] {
		return ""
	}
	return fmt.Sprintf(", %d notes", notes)
}

// generatedVault returns the path of a generated vault with the given number of notes. A marker file next to the
// vault shows that it is complete, so that later runs can use it.
func (b *bench) generatedVault(ctx context.Context, notes int) (string, error) {
	if vault, ok := b.vaults[notes]; ok {
		return vault, nil
	}
	vault := filepath.Join(b.keep, fmt.Sprintf("notes-%d", notes))
	whole := vault + ".whole"
	if _, err := os.Stat(whole); err != nil {
		gen, err := b.build(ctx, "genvault", ".", "./bench/genvault")
		if err != nil {
			return "", err
		}
		if err := os.RemoveAll(vault); err != nil {
			return "", err
		}
		fmt.Fprintf(os.Stderr, "generating %d notes in %s\n", notes, vault)
		if out, err := exec.CommandContext(ctx, gen, "-n", fmt.Sprint(notes), "-seed", "1", "-out", vault).CombinedOutput(); err != nil {
			return "", fmt.Errorf("cannot generate the vault: %w: %s", err, out)
		}
		if err := os.WriteFile(whole, nil, 0o600); err != nil {
			return "", err
		}
	}
	b.vaults[notes] = vault
	return vault, nil
}
