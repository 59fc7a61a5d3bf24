package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/cite"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/terminal/tty"
	"chatvault/internal/base/text"
	"chatvault/tui"
)

// getenv returns a variable's value, or "".
func (s Streams) getenv(name string) string {
	v, _ := s.LookupEnv(name)
	return v
}

// citing returns how the chat opens the references of answers.
func citing(x *oneChat, getenv func(string) string, t *tty.Terminal) tui.Citing {
	return tui.Citing{
		Resolve: x.Citations.Resolve,
		Preview: x.Citations.Preview,
		Edit: func(_ context.Context, path string, line int) (tea.ExecCommand, error) {
			// The editor ends with the chat.
			return x.editor(x.ctx, getenv, t, path, line)
		},
		Open: func(ctx context.Context, at cite.Citation) error {
			return openURL(ctx, getenv, session.ObsidianURL(x.Vault(), at), openWait)
		},
		Link: func(at cite.Citation) string {
			if !hyperlinks(x.Settings.Current().Hyperlinks.V, getenv) {
				return ""
			}
			return session.ObsidianURL(x.Vault(), at)
		},
	}
}

// hyperlinks reports whether the terminal supports links.
func hyperlinks(setting string, getenv func(string) string) bool {
	switch setting {
	case config.HyperlinksOn:
		return true
	case config.HyperlinksOff:
		return false
	}
	return tty.Hyperlinks(getenv)
}

// editorEnd is the timeout for an editor after it was asked to end.
const editorEnd = time.Second

// editor returns the command for the user's editor at a line of a note; zero means no line.
func (x *oneChat) editor(ctx context.Context, getenv func(string) string, t *tty.Terminal, note string, line int) (tea.ExecCommand, error) {
	file, err := x.Citations.File(ctx, note)
	if err != nil {
		return nil, err
	}
	return x.editFile(ctx, getenv, t, file, line)
}

// editFile returns the command for the user's editor at a line of a file.
func (x *oneChat) editFile(ctx context.Context, getenv func(string) string, t *tty.Terminal, file string, line int) (tea.ExecCommand, error) {
	args, err := editorArgs(getenv, func(name string) bool {
		_, err := exec.LookPath(name)
		return err == nil
	}, file, line)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = x.Dir()
	cmd.Cancel = func() error { return hangUp(cmd.Process) }
	cmd.WaitDelay = editorEnd
	return t.Command(cmd), nil
}

// fallbackEditors are tried if the environment names no editor.
var fallbackEditors = []string{"sensible-editor", "nano", "vi", "notepad"}

// editorArgs returns the command line that opens a file in the user's editor, at a line if the editor is known to
// support it.
func editorArgs(getenv func(string) string, there func(string) bool, file string, line int) ([]string, error) {
	var args []string
	for _, name := range []string{"VISUAL", "EDITOR"} {
		value := strings.TrimSpace(getenv(name))
		if value == "" {
			continue
		}
		words, err := text.ShellWords(value)
		if err == nil && (len(words) == 0 || words[0] == "") {
			err = errors.New("it names no program")
		}
		if err != nil {
			return nil, fmt.Errorf("$%s is not valid: %w", name, err)
		}
		if !there(words[0]) {
			return nil, fmt.Errorf("the editor that $%s names was not found: %s", name, words[0])
		}
		args = words
		break
	}
	if args == nil {
		for _, name := range fallbackEditors {
			if there(name) {
				args = []string{name}
				break
			}
		}
	}
	if args == nil {
		return nil, errors.New("no editor was found: set $EDITOR to the one you use, for example with export EDITOR=nano")
	}
	return append(args, atLine(path.Base(filepath.ToSlash(args[0])), file, line)...), nil
}

// atLine returns an editor's arguments for a file at a line; zero means no line.
func atLine(editor, file string, line int) []string {
	n := strconv.Itoa(line)
	if line <= 0 {
		return []string{file}
	}
	switch strings.TrimSuffix(editor, ".exe") {
	case "vi", "vim", "nvim", "gvim", "view", "vimx", "elvis", "nvi", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "jed", "mg", "ne", "mcedit", "sensible-editor", "gedit":
		return []string{"+" + n, file}
	case "hx", "helix", "subl", "sublime_text", "zed", "zeditor":
		return []string{file + ":" + n}
	case "code", "code-insiders", "codium", "cursor", "windsurf":
		return []string{"-g", file + ":" + n}
	case "kate":
		return []string{"-l", n, file}
	}
	return []string{file}
}

// openWait is how long to wait for a program that opens a URL: most exit at once, some stay.
const openWait = 2 * time.Second

// openURL opens a URL with the system's program. One that is still running after the wait counts as successful.
func openURL(ctx context.Context, getenv func(string) string, target string, patience time.Duration) error {
	var opener string
	var args []string
	for _, line := range openers(runtime.GOOS, getenv) {
		words := strings.Fields(line)
		if p, err := exec.LookPath(words[0]); err == nil {
			opener, args = p, slices.Concat(words[1:], []string{target})
			break
		}
	}
	if opener == "" {
		return fmt.Errorf("nothing here can open Obsidian: %s was not found", strings.Join(openers(runtime.GOOS, getenv), " or "))
	}
	cmd := exec.Command(opener, args...)
	outlive(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s could not be started: %w", filepath.Base(opener), err)
	}
	ended := make(chan error, 1)
	routine.Go("opener", func() { ended <- cmd.Wait() })
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s could not open it: %w. Is Obsidian installed here, and does it know this vault?", filepath.Base(opener), err)
		}
	case <-wait.C:
	case <-ctx.Done():
	}
	return nil
}

// openers returns the commands that open URLs, best first.
func openers(goos string, getenv func(string) string) []string {
	switch {
	case goos == "darwin":
		return []string{"open"}
	case goos == "windows":
		return []string{"rundll32 url.dll,FileProtocolHandler"}
	case getenv("WSL_DISTRO_NAME") != "":
		return []string{"wslview", "xdg-open"}
	}
	return []string{"xdg-open", "wslview"}
}

// draftEditor returns how the draft is edited in the user's editor.
func (x *oneChat) draftEditor(getenv func(string) string, t *tty.Terminal) tui.DraftEditor {
	return func(_ context.Context, text string) (tea.ExecCommand, func(bool) (string, error), error) {
		name, err := x.Drafts.Lend(text)
		if err != nil {
			return nil, nil, err
		}
		// The editor ends with the chat.
		command, err := x.editFile(x.ctx, getenv, t, name, 0)
		if err != nil {
			_, _ = x.Drafts.TakeBack() // the caller still has the text
			return nil, nil, err
		}
		return command, func(failed bool) (string, error) {
			if x.ctx.Err() == nil || !failed {
				return x.Drafts.TakeBack()
			}
			return "", nil // the chat ends; the next start finds what the editor saved
		}, nil
	}
}
