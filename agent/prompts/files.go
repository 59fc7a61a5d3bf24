package prompts

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"syscall"
	"text/template"
	"time"
	"unicode/utf8"
)

const (
	folder        = "prompts"
	suffix        = ".tmpl"
	maxPromptFile = 64 << 10 // bytes
)

// Files are the prompts of a vault: the built-in ones, and in place of each the vault's
// own from .smarthole/prompts/NAME.tmpl where there is one that works. A file is read when it
// changed. It is safe for concurrent use.
type Files struct {
	root *os.Root

	mu    sync.Mutex
	files map[string]*file
}

// file is a vault's own prompt as it was when it was last read.
type file struct {
	size     int64
	modified time.Time
	template *template.Template
	err      error // why it cannot be used
	told     bool  // the user knows
}

// NewFiles are the prompts of the vault whose state folder root is; nil: the built-in ones alone.
func NewFiles(root *os.Root) *Files {
	return &Files{root: root, files: map[string]*file{}}
}

// Render makes a prompt. Where the vault's own cannot be used it is the built-in one, and
// problem says why, once for each change of the file. own: it is the vault's own text.
func (p *Files) Render(name string, v Vars) (text string, own bool, problem string, err error) {
	text, own, problem = p.override(name, v)
	if own {
		return text, true, "", nil
	}
	text, err = Builtin(name, v)
	return text, false, problem, err
}

// override makes a prompt of the vault's own template; false where there is none to be used.
func (p *Files) override(name string, v Vars) (text string, ok bool, problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.current(name)
	if f == nil {
		return "", false, ""
	}
	err := f.err
	if err == nil {
		if text, err = execute(f.template, v); err == nil {
			return text, true, ""
		}
	}
	if f.told {
		return "", false, ""
	}
	f.told = true
	return "", false, fmt.Sprintf("%s cannot be used, so the built-in prompt is: %v", path(name), err)
}

// current is the vault's own prompt as it is now; nil: there is none.
func (p *Files) current(name string) *file {
	info, err := p.root.Lstat(folder + "/" + name + suffix)
	if errors.Is(err, fs.ErrNotExist) {
		delete(p.files, name)
		return nil
	}
	f := &file{err: err}
	if err == nil {
		f.size, f.modified = info.Size(), info.ModTime()
	}
	if was := p.files[name]; was != nil && was.size == f.size && was.modified.Equal(f.modified) && (err == nil || was.err != nil) {
		return was
	}
	if err == nil {
		f.template, f.err = load(p.root, name, info)
	}
	p.files[name] = f
	return f
}

// load reads and parses a vault's own prompt.
func load(root *os.Root, name string, info fs.FileInfo) (*template.Template, error) {
	switch {
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > maxPromptFile:
		return nil, fmt.Errorf("it has %d bytes; a prompt may have %d KB", info.Size(), maxPromptFile>>10)
	}
	// O_NONBLOCK: should a FIFO have taken the name meanwhile, opening must not hang.
	f, err := root.OpenFile(folder+"/"+name+suffix, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxPromptFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxPromptFile:
		return nil, fmt.Errorf("it is larger than the %d KB a prompt may have", maxPromptFile>>10)
	case !utf8.Valid(data):
		return nil, errors.New("it is no UTF-8 text")
	}
	return parseTemplate(name+suffix, strings.TrimPrefix(string(data), "\ufeff"))
}

func path(name string) string { return ".smarthole/" + folder + "/" + name + suffix }

// Override is a prompt that a vault replaces by its own.
type Override struct {
	Name    string // "system"
	File    string // ".smarthole/prompts/system.tmpl"
	Problem string // why the built-in one is used all the same, with the line; empty: it works
}

// Names are the prompts a vault can replace, sorted.
func Names() []string {
	names := make([]string, 0, len(builtin()))
	for name := range builtin() {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Check looks at the prompts below root, the vault's .smarthole folder: each file of
// prompts/ that is or should be one, sorted by name.
func Check(root *os.Root) ([]Override, error) {
	files, err := fs.ReadDir(root.FS(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the prompts of the vault cannot be read: %w", err)
	}
	var all []Override
	for _, f := range files {
		name, isPrompt := strings.CutSuffix(f.Name(), suffix)
		if strings.HasPrefix(name, ".") {
			continue
		}
		o := Override{Name: name, File: ".smarthole/" + folder + "/" + f.Name()}
		if names := Names(); !isPrompt || !slices.Contains(names, name) {
			o.Problem = "there is no prompt of this name; there are " + strings.Join(names, suffix+", ") + suffix
		} else if err := try(root, name); err != nil {
			o.Problem = err.Error()
		}
		all = append(all, o)
	}
	return all, nil
}

// try renders a vault's own prompt with every variable filled and with none.
func try(root *os.Root, name string) error {
	info, err := root.Lstat(folder + "/" + name + suffix)
	if err != nil {
		return err
	}
	t, err := load(root, name, info)
	if err != nil {
		return err
	}
	if _, err := execute(t, sampleVars()); err != nil {
		return err
	}
	// Without a question, a goal and the like a prompt may well say nothing.
	if _, err := execute(t, Vars{}); err != nil && !errors.Is(err, errPromptEmpty) {
		return err
	}
	return nil
}
