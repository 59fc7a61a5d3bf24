package cli

import (
	"cmp"
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
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/cite"
	"chatvault/internal/base/process"
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
	to := tui.Citing{
		Resolve: x.Citations.Resolve,
		Preview: x.Citations.Preview,
		Edit: func(_ context.Context, path string, line int) (tea.ExecCommand, error) {
			file, err := x.Citations.File(x.ctx, path)
			if err != nil {
				return nil, err
			}
			return x.editFile(getenv, t, file, line)
		},
		Link: func(at cite.Citation) string {
			if !hyperlinks(x.Settings.Current().Hyperlinks.V, getenv) {
				return ""
			}
			return session.ObsidianURL(x.Vault(), at)
		},
	}
	if opener() != nil {
		to.Open = func(ctx context.Context, at cite.Citation) error {
			return openURL(ctx, session.ObsidianURL(x.Vault(), at), openWait)
		}
	}
	return to
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

// editFile returns the command for the user's editor at a line of a file; zero means no line. The editor ends with the
// chat.
func (x *oneChat) editFile(getenv func(string) string, t *tty.Terminal, file string, line int) (tea.ExecCommand, error) {
	args, err := editorArgs(getenv, inPath, file, line)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(x.ctx, args[0], args[1:]...)
	cmd.Dir = x.Dir()
	cmd.Cancel = func() error { // its terminal is going away: it can save
		if cmd.Process.Signal(syscall.SIGHUP) == nil {
			return nil
		}
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = editorEnd
	return t.Command(cmd), nil
}

// inPath reports whether a program can be run.
func inPath(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// fallbackEditors are tried if the environment names no editor.
var fallbackEditors = []string{"sensible-editor", "nano", "vi", "notepad"}

// editorArgs returns the command line that opens a file in the user's editor, at a line if the editor is known to
// support it.
func editorArgs(getenv func(string) string, there func(string) bool, file string, line int) ([]string, error) {
	args, err := text.ShellWords(cmp.Or(strings.TrimSpace(getenv("VISUAL")), strings.TrimSpace(getenv("EDITOR"))))
	if err != nil {
		return nil, fmt.Errorf("the editor in $VISUAL or $EDITOR is not valid: %w", err)
	}
	if i := slices.IndexFunc(fallbackEditors, there); i >= 0 && len(args) == 0 {
		args = fallbackEditors[i : i+1 : i+1]
	}
	switch {
	case len(args) == 0:
		return nil, errors.New("no editor was found: set $EDITOR to the one you use, for example with export EDITOR=nano")
	case !there(args[0]):
		return nil, fmt.Errorf("the editor that $VISUAL or $EDITOR names was not found: %s", args[0])
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
	case "vi", "vim", "nvim", "gvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "mcedit", "sensible-editor", "gedit":
		return []string{"+" + n, file}
	case "hx", "helix", "subl", "zed", "zeditor":
		return []string{file + ":" + n}
	case "code", "codium", "cursor", "windsurf":
		return []string{"-g", file + ":" + n}
	}
	return []string{file}
}

// openWait is how long to wait for a program that opens a URL: most exit at once, some stay.
const openWait = 2 * time.Second

// openURL opens a URL with the system's program. One that is still running after the wait counts as successful.
func openURL(ctx context.Context, target string, patience time.Duration) error {
	args := append(opener(), target)
	if len(args) == 1 {
		return errors.New("nothing here can open Obsidian: xdg-open was not found")
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), args[0], args[1:]...)
	process.Detach(cmd) // it may continue after the chat
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s could not be started: %w", args[0], err)
	}
	ended := make(chan error, 1)
	routine.Go("opener", func() { ended <- cmd.Wait() })
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s could not open it: %w. Is Obsidian installed here, and does it know this vault?", args[0], err)
		}
	case <-wait.C:
	case <-ctx.Done():
	}
	return nil
}

// openers are the programs that open URLs, by system.
var openers = map[string][]string{"darwin": {"open"}, "windows": {"rundll32 url.dll,FileProtocolHandler"}}

// opener returns the command line of the first program that is installed, or nil.
func opener() []string {
	for _, line := range append(openers[runtime.GOOS], "xdg-open", "wslview") {
		if args := strings.Fields(line); inPath(args[0]) {
			return args
		}
	}
	return nil
}

// draftEditor returns how the draft is edited in the user's editor.
func (x *oneChat) draftEditor(getenv func(string) string, t *tty.Terminal) tui.DraftEditor {
	return func(_ context.Context, text string) (tea.ExecCommand, func(bool) (string, error), error) {
		name, err := x.Drafts.Lend(text)
		if err != nil {
			return nil, nil, err
		}
		command, err := x.editFile(getenv, t, name, 0)
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
