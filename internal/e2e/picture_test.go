package e2e

import (
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

var picture = flag.String("picture", "", "record the chat for the guide into this folder (make pictures)")

// scene is a picture of the README or the guide, played by the real program: the sample vault, no key, no network.
type scene struct {
	name  string // of the recording in docs, and of the picture made of it
	light bool
	// settings are the user's settings.
	settings string
	brought  map[string]string // files that are in the vault beside the sample's
	online   bool              // without --offline; nobody answers
	play     func(*stage)
}

// stage is the chat of a scene.
type stage struct {
	*ptytest.Terminal
	slow bool // somebody will look at it
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
)

var scenes = []scene{
	{name: "screen", play: func(s *stage) {
		s.pause(1200 * time.Millisecond)
		s.write(question)
		s.shows("Nectarine tart › Ingredients")
		s.write(add)
		s.WaitFor("Without a model, you see each change before it is made.", patience)
		s.WaitFor("› Allow once", patience)
		s.pause(1500 * time.Millisecond)
		s.Type("y")
		s.shows("Appended")
	}},
	{name: "light", light: true, play: func(s *stage) {
		s.write(question)
		s.shows("Nectarine tart › Ingredients")
	}},
	{name: "approval", settings: `approval = "writes"`, play: func(s *stage) {
		s.write(question)
		s.shows("Nectarine tart › Ingredients")
		s.write(add)
		s.WaitFor("› Allow once", patience) // what waits for an answer shows how long
		s.pause(time.Second)
	}},
	{name: "model", online: true, play: func(s *stage) {
		s.Press("f2")
		s.shows("Enter a key for DeepSeek")
	}},
	{name: "sources", play: func(s *stage) {
		s.write(question)
		s.shows("Nectarine tart › Ingredients")
		s.Press("shift+tab")
		s.Press("enter")
		s.shows("Esc back")
	}},
	{name: "daily", play: func(s *stage) {
		s.write("what is due by 2026-11-24?")
		s.shows("(due 2026-11-24)")
		s.write(`tick "Order the hand lens"`)
		s.WaitFor("› Allow once", patience)
		s.pause(time.Second)
		s.Type("y")
		s.shows("Replaced")
	}},
	{name: "changes", play: func(s *stage) {
		s.write(add)
		s.WaitFor("› Allow once", patience)
		s.pause(1500 * time.Millisecond)
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

// TestPicture plays the pictures. Each recording in docs ends with the current screen of the program.
func TestPicture(t *testing.T) {
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			if *picture == "" {
				t.Parallel()
			}
			home := t.TempDir()
			vault := filepath.Join(home, "Sample vault")
			if err := os.CopyFS(vault, os.DirFS("testdata/vault")); err != nil {
				t.Fatal(err)
			}
			for name, text := range sc.brought {
				file := filepath.Join(vault, filepath.FromSlash(name))
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			args := []string{"--vault", vault}
			if !sc.online {
				args = append(args, "--offline")
			}
			if err := os.MkdirAll(filepath.Join(home, "c", "chatvault"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, "c", "chatvault", "config.toml"), []byte(sc.settings+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			c := ptytest.Start(t, ptytest.Options{
				Path: chatvault(t), Args: args, Dir: home, Width: 90, Height: 27, Light: sc.light,
				Env: ptytest.Env("HOME="+home, "XDG_CONFIG_HOME="+home+"/c", "XDG_STATE_HOME="+home+"/s"),
			})
			c.WaitFor("Examples (Tab", patience)
			sc.play(&stage{c, *picture != ""})
			if *picture != "" {
				if err := c.SaveCast(filepath.Join(*picture, sc.name+".cast"), "chatvault", 2*time.Second); err != nil {
					t.Fatal(err)
				}
				return // the pictures are made of it next
			}
			recorded, err := ptytest.PlayCast(filepath.Join("docs", sc.name+".cast"))
			if err != nil {
				t.Fatal(err)
			}
			if now := c.Screen(); unchanging(now) != unchanging(recorded) {
				t.Errorf("docs/%s.cast is not what the program shows now: make pictures records it anew. It ends with\n%s\nthe program with\n%s", sc.name, recorded, now)
			}
			svg, err := os.ReadFile(filepath.Join("docs", sc.name+".svg"))
			if err != nil || !strings.Contains(string(svg), "</svg>") {
				t.Errorf("docs/%s.svg is no picture: %v", sc.name, err)
			}
		})
	}
}

// lasting matches times that differ between runs and short-lived notices. A time of day includes the spaces around it,
// since 9:59 is narrower than 10:00.
var lasting = regexp.MustCompile(`[⠁-⣿]|[0-9.]+ ?(ms|s|min ago)\b| *\d+:\d\d [AP]M *|~?[0-9.]+k? tokens.*`)

// unchanging returns a screen without what differs between runs; its last row shows durations and time limits.
func unchanging(screen string) string {
	rows := strings.Split(screen, "\n")
	for i, r := range rows {
		rows[i] = strings.TrimRight(lasting.ReplaceAllString(r, "#"), " ")
	}
	return strings.Join(rows[:max(len(rows)-1, 0)], "\n")
}
