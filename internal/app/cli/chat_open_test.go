//go:build unix

package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/internal/ptytest"
)

func TestEditorArgs(t *testing.T) {
	const file = "/notes/A b.md"
	for _, tt := range []struct {
		env   []string
		there []string
		line  int
		want  []string
		err   string
	}{
		{[]string{"VISUAL", "vim", "EDITOR", "nano"}, []string{"vim", "nano"}, 12, []string{"vim", "+12", file}, ""},
		{[]string{"EDITOR", "nano"}, []string{"nano"}, 0, []string{"nano", file}, ""},
		{[]string{"EDITOR", "/usr/bin/nvim -u NONE"}, []string{"/usr/bin/nvim"}, 3, []string{"/usr/bin/nvim", "-u", "NONE", "+3", file}, ""},
		{[]string{"EDITOR", "code -w"}, []string{"code"}, 3, []string{"code", "-w", "-g", file + ":3"}, ""},
		{[]string{"EDITOR", "hx"}, []string{"hx"}, 3, []string{"hx", file + ":3"}, ""},
		{[]string{"EDITOR", "micro"}, []string{"micro"}, 3, []string{"micro", "+3", file}, ""},
		{[]string{"EDITOR", "emacsclient -t"}, []string{"emacsclient"}, 3, []string{"emacsclient", "-t", "+3", file}, ""},
		{[]string{"EDITOR", "mine"}, []string{"mine"}, 3, []string{"mine", file}, ""},
		{[]string{"EDITOR", `"/opt/my editor/ed" 'a b' c\ d ""`}, []string{"/opt/my editor/ed"}, 3, []string{"/opt/my editor/ed", "a b", "c d", "", file}, ""},
		{nil, []string{"vi", "nano"}, 7, []string{"nano", "+7", file}, ""},
		{nil, nil, 7, nil, "no editor was found: set $EDITOR"},
		{[]string{"VISUAL", " ", "EDITOR", "gone"}, []string{"nano"}, 7, nil, "the editor that $VISUAL or $EDITOR names was not found: gone"},
		{[]string{"EDITOR", `vim "x`}, []string{"vim"}, 7, nil, `$EDITOR is not valid: the quotation mark " is not closed`},
		{[]string{"EDITOR", `""`}, nil, 7, nil, "names was not found: "},
	} {
		env := map[string]string{}
		for i := 0; i < len(tt.env); i += 2 {
			env[tt.env[i]] = tt.env[i+1]
		}
		got, err := editorArgs(func(n string) string { return env[n] }, func(n string) bool { return slices.Contains(tt.there, n) }, file, tt.line)
		if !slices.Equal(got, tt.want) || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: %q, %v; want %q, %q", tt.env, got, err, tt.want, tt.err)
		}
	}
}

func TestOpenURL(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if err := openURL(context.Background(), "obsidian://x", openWait); err == nil || !strings.Contains(err.Error(), "nothing here can open Obsidian") {
		t.Errorf("without a program: %v", err)
	}
	program := func(text string) {
		ptytest.Programs(t, dir, map[string]string{"xdg-open": text, "open": text})
	}
	program("exit 4\n")
	if err := openURL(context.Background(), "obsidian://x", openWait); err == nil || !strings.Contains(err.Error(), "could not open it: exit status 4. Is Obsidian installed here") {
		t.Errorf("one that fails: %v", err)
	}
	program("printf '%s' \"$1\" > " + dir + "/got\n")
	if err := openURL(context.Background(), "obsidian://open?vault=A%20b&file=c", openWait); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "got")); string(got) != "obsidian://open?vault=A%20b&file=c" {
		t.Errorf("it was given %q", got)
	}
	program("/bin/sleep 0.2\n: > " + dir + "/ended\n")
	if err := openURL(context.Background(), "obsidian://x", 10*time.Millisecond); err != nil {
		t.Errorf("one that stays: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ended")); err == nil {
		t.Error("it was waited for")
	}
}

func TestHyperlinksSetting(t *testing.T) {
	kitty := func(name string) string { return map[string]string{"TERM": "xterm-kitty"}[name] }
	plain := func(name string) string { return map[string]string{"TERM": "xterm"}[name] }
	for _, tt := range []struct {
		setting string
		getenv  func(string) string
		want    bool
	}{{"auto", kitty, true}, {"auto", plain, false}, {"on", plain, true}, {"off", kitty, false}} {
		if got := hyperlinks(tt.setting, tt.getenv); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.setting, got, tt.want)
		}
	}
}
