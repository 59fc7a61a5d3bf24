package e2e

import (
	"cmp"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"chatvault/internal/ptytest"
)

var screens = flag.Bool("screens", false, "record the screens of the pictures again (make pictures)")

// recordings holds the recorded screens, from which make pictures draws docs/screens.
const recordings = "internal/e2e/testdata/screens"

// A scene is a picture of the README or the guide, played by the real program on the sample vault: no key, no network.
type scene struct {
	name          string // of the recorded screen, and of the picture in docs/screens
	width, height int    // zero means 90 and 27
	light         bool
	settings      string            // the user's settings
	brought       map[string]string // files that are in the vault besides the sample's
	online        bool              // without --offline; no server answers
	film          bool              // also recorded from the beginning, for docs/screen.svg
	play          func(*stage)
}

// stage is the chat of a scene.
type stage struct {
	*ptytest.Terminal
	slow bool // a film is recorded
}

func (s *stage) pause(d time.Duration) {
	if s.slow {
		time.Sleep(d)
	}
}

// write types a message and sends it.
func (s *stage) write(text string) {
	for _, r := range text {
		s.Type(string(r))
		s.pause(35 * time.Millisecond)
	}
	s.pause(300 * time.Millisecond)
	s.Press("enter")
}

// shows waits until the screen shows a text and stops changing.
func (s *stage) shows(text string) {
	s.WaitFor(text, patience)
	s.WaitIdle(400*time.Millisecond, patience)
	s.pause(2500 * time.Millisecond)
}

const (
	question = "what do I know about the nectarine tart?"
	add      = "add a task to Nectarine tart: buy nectarines on Saturday"
	cited    = "Nectarine tart › Ingredients"
)

// ask asks the question about the tart.
func (s *stage) ask() {
	s.write(question)
	s.shows(cited)
}

// edit asks for a change and waits until it is shown, not until the screen is still: it shows how long it waits.
func (s *stage) edit() {
	s.write(add)
	s.WaitFor("› Allow once", patience)
	s.pause(1500 * time.Millisecond)
}

// scenes lists the pictures.
var scenes = []scene{
	{name: "start", online: true, play: func(s *stage) { s.shows("Examples (Tab") }},
	{name: "screen", film: true, play: func(s *stage) {
		s.pause(1200 * time.Millisecond)
		s.ask()
		s.edit()
		s.Type("y")
		s.shows("Appended")
	}},
	{name: "question", play: (*stage).ask},
	{name: "light", light: true, play: (*stage).ask},
	{name: "narrow", width: 60, height: 30, play: (*stage).ask},
	{name: "wide", width: 120, height: 30, play: (*stage).ask},
	{name: "sources", play: func(s *stage) {
		s.ask()
		s.Press("shift+tab")
		s.Press("enter")
		s.shows("Esc back")
	}},
	{name: "edit", height: 34, settings: `approval = "writes"`, play: func(s *stage) {
		s.ask()
		s.edit()
	}},
	{name: "tasks", play: func(s *stage) {
		s.write("what is due by 2026-11-24?")
		s.shows("(due 2026-11-24)")
		s.write(`tick "Order the hand lens"`)
		s.WaitFor("› Allow once", patience)
		s.Type("y")
		s.shows("Replaced")
	}},
	{name: "picker", play: func(s *stage) {
		s.ask()
		s.Press("ctrl+p")
		s.shows("Commands")
	}},
	{name: "settings", play: func(s *stage) {
		s.write("/settings")
		s.shows("Settings")
	}},
	{name: "model", online: true, play: func(s *stage) {
		s.Press("f2")
		s.shows("Enter a key for DeepSeek")
	}},
	{name: "changes", play: func(s *stage) {
		s.edit()
		s.Type("y")
		s.shows("Appended")
		s.write("/changes")
		s.shows("Enter to open")
		s.Press("enter")
		s.WaitIdle(400*time.Millisecond, patience)
	}},
	{name: "trust", brought: map[string]string{
		"AGENTS.md":                   "# About this vault\n\nWrite in British English. New recipes go to Recipes/ and carry the tag recipe.\n",
		".smarthole/commands/week.md": "What did I note in the last seven days, and what is still open?\n",
	}, play: func(s *stage) {
		s.write("/trust")
		s.WaitIdle(400*time.Millisecond, patience)
		s.shows("AGENTS.md")
	}},
}

// TestPicture plays the scenes. Each recorded screen is the current one of the program, and has its picture, which
// internal/ptytest/screens draws.
func TestPicture(t *testing.T) {
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			if !*screens {
				t.Parallel()
			}
			c := sc.open(t)
			sc.play(&stage{c, *screens && sc.film})
			file, now := filepath.Join(recordings, sc.name+".ansi"), c.Recorded()
			if *screens {
				if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
					t.Fatal(err)
				}
				if sc.film {
					if err := c.SaveCast(filepath.Join("docs", sc.name+".cast"), "chatvault", 2*time.Second); err != nil {
						t.Fatal(err)
					}
				}
				return // the pictures are drawn of it next
			}
			recorded, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if unchanging(now) != unchanging(string(recorded)) {
				t.Errorf("%s is not what the program shows now: make pictures records it again. It shows\n%s\nthe program\n%s", file, recorded, now)
			}
			if _, err := os.Stat(filepath.Join("docs", "screens", sc.name+".png")); err != nil {
				t.Error(err)
			}
			if sc.film {
				sc.checkFilm(t, c.Screen())
			}
		})
	}
}

// open starts the chat for the scene.
func (sc scene) open(t *testing.T) *ptytest.Terminal {
	t.Helper()
	home := t.TempDir()
	vault := filepath.Join(home, "Sample vault")
	if err := os.CopyFS(vault, os.DirFS("testdata/vault")); err != nil {
		t.Fatal(err)
	}
	// The examples of the first screen depend on what was changed last.
	changed := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	err := filepath.WalkDir(vault, func(file string, _ os.DirEntry, err error) error {
		if changed = changed.Add(-time.Hour); strings.HasSuffix(file, "Nectarine tart.md") {
			return errors.Join(err, os.Chtimes(file, time.Time{}, time.Date(2026, 6, 2, 12, 0, 0, 0, time.UTC)))
		}
		return errors.Join(err, os.Chtimes(file, time.Time{}, changed))
	})
	if err != nil {
		t.Fatal(err)
	}
	write := func(file, text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range sc.brought {
		write(filepath.Join(vault, filepath.FromSlash(name)), text)
	}
	write(filepath.Join(home, "c", "chatvault", "config.toml"), sc.settings+"\n")
	args := []string{"--vault", vault}
	if !sc.online {
		args = append(args, "--offline")
	}
	ptytest.Programs(t, home, map[string]string{"xdg-open": ""}) // can open Obsidian
	c := ptytest.Start(t, ptytest.Options{
		Path: chatvault(t), Args: args, Dir: home, Width: cmp.Or(sc.width, 90), Height: cmp.Or(sc.height, 27), Light: sc.light,
		Env: ptytest.Env("PATH="+home+":"+os.Getenv("PATH"), "HOME="+home, "XDG_CONFIG_HOME="+home+"/c", "XDG_STATE_HOME="+home+"/s"),
	})
	c.WaitFor("Examples (Tab", patience)
	return c
}

// checkFilm checks that the film ends with the current screen.
func (sc scene) checkFilm(t *testing.T, now string) {
	t.Helper()
	last, err := ptytest.PlayCast(filepath.Join("docs", sc.name+".cast"))
	if err != nil {
		t.Fatal(err)
	}
	if unchanging(now) != unchanging(last) {
		t.Errorf("docs/%s.cast is not what the program shows now: make pictures records it again. It ends with\n%s\nthe program with\n%s", sc.name, last, now)
	}
	svg, err := os.ReadFile(filepath.Join("docs", sc.name+".svg"))
	if err != nil || !strings.Contains(string(svg), "</svg>") {
		t.Errorf("docs/%s.svg is no picture: %v", sc.name, err)
	}
}

// lasting matches times that differ between runs and short-lived notices. A time of day includes the spaces around it,
// since 9:59 is narrower than 10:00, and their styles.
var lasting = regexp.MustCompile(`[⠁-⣿]|[0-9.]+ ?(ms|s|min ago)\b|(?: |\x1b\[[0-9;:]*m)*\d+:\d\d [AP]M(?: |\x1b\[[0-9;:]*m)*|~?[0-9.]+k? tokens.*`)

// unchanging returns a screen without what differs between runs; its last row shows durations and time limits.
func unchanging(screen string) string {
	rows := strings.Split(strings.TrimSuffix(screen, "\n"), "\n")
	for i, r := range rows {
		rows[i] = strings.TrimRight(lasting.ReplaceAllString(r, "#"), " ")
	}
	return strings.Join(rows[:max(len(rows)-1, 0)], "\n")
}
