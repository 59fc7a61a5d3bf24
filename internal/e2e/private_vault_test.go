package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// secretRE matches every planted secret. No aimed path contains one, so any output with one reveals a private file.
var secretRE = regexp.MustCompile(`(?i)zq[0-9]{3}kx`)

// privateVault is a vault with secrets under private globs.
type privateVault struct {
	t       *testing.T
	home    string
	dir     string
	env     []string
	planted int
	files   map[string]string // the private ones, as they are to stay
}

const privateSettings = `private = ["Private/", "*.secret.md", "Work/**/personal*", "Tagebücher", "/Boards/hidden.canvas", "Daily/2021-*", "*.key", "Old/**"]
max_tool_iterations = 1000
approval = "off"
`

// secret returns the next secret.
func (v *privateVault) secret() string {
	v.planted++
	return fmt.Sprintf("zq%03dkx", v.planted)
}

func (v *privateVault) open(name, text string) {
	v.t.Helper()
	path := filepath.Join(v.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		v.t.Fatal(err)
	}
}

// hide writes a private file, with secrets for each "@" in its name and text.
func (v *privateVault) hide(name, text string) {
	v.t.Helper()
	for strings.Contains(name+text, "@") {
		if strings.Contains(name, "@") {
			name = strings.Replace(name, "@", v.secret(), 1)
			continue
		}
		text = strings.Replace(text, "@", v.secret(), 1)
	}
	v.open(name, text)
	v.files[name] = text
}

func newPrivateVault(t *testing.T) *privateVault {
	home := t.TempDir()
	v := &privateVault{t: t, home: home, dir: filepath.Join(home, "Notes"), files: map[string]string{}}
	v.env = []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off",
		"XDG_CONFIG_HOME=" + home + "/c", "XDG_STATE_HOME=" + home + "/s", "XDG_DATA_HOME=" + home + "/d",
	}
	v.plant()
	return v
}

// plant fills the vault with visible notes that refer to private ones, and a hundred secrets in many forms.
func (v *privateVault) plant() {
	v.open("Home.md", "---\ntags: [garden]\nup: \"[[dossier]]\"\n---\n# Home\numbrella\n[[Mira]] [[Private/Mira|her]] ![[plan.secret]] [x](Private/Mira.md) [[Private/]] #garden\n- [ ] call [[dossier]]\n")
	v.open("Garden/Beds.md", "# Beds\numbrella [[Home]] [[Board]]\n- [x] dig 📅 2026-11-21\n")
	v.open("Garden/Lone.md", "# Lone\nnobody links here\n")
	v.open("Work/2026/open.md", "# Open\numbrella\n")
	v.open("Boards/Board.canvas", `{"nodes":[{"id":"1","type":"file","file":"Private/Mira.md"},{"id":"2","type":"file","file":"Home.md"}],"edges":[]}`)
	v.open("Daily/2026-11-20.md", "# Friday\numbrella\n")
	v.open("Mixed/seen.md", "# Seen\n[[Mira]]\n")
	for _, folder := range []string{"Garden", "Mixed", "Work"} { // many names, so that near ones are sought
		for i := range 5 {
			v.open(fmt.Sprintf("%s/note %d.md", folder, i), "umbrella\n")
		}
	}

	v.hide("Private/Mira.md", "---\ntitle: @\naliases: [@, Umbrella]\ntags: [@, garden]\n@: true\nrating: 5 # @\nup: \"[[Home]]\"\nlist:\n  - @\n---\n"+
		"# Mira @\nShe left her umbrella: @. [[Home|@]] [[@]] ![[@.png]] [@](Home.md)\n#@ #garden/@\n- [ ] ask about @ 📅 2026-11-21\n- [x] done @\n"+
		"> [!note] @\n\n```\n@ umbrella\n```\n%% @ %%\n$@$\n| a | @ |\n|---|---|\n\n[^1]: @\n^@\n<b>@</b> https://example.org/@ key:: @\n")
	v.hide("Private/crlf.md", "umbrella @\r\n[[Beds]] @\r\n- [ ] @\r\n")
	v.hide("Private/deep/er/still.md", "# @\numbrella\n[[Home]] @\n")
	v.hide("Private/@.md", "# Home\numbrella, [[Home]]\n")
	v.hide("Private/@/dossier.md", "the dossier: @ [[Home]]\n")
	v.hide("Private/@/Home.md", "umbrella\n")
	v.hide("Private/Beds @.md", "[[Garden/Beds]] @")
	v.hide("Private/data.csv", "umbrella,@\n")
	v.hide("Private/pic.png", "\x89PNG\x00@")
	v.hide("Private/Board.canvas", `{"nodes":[{"id":"1","type":"text","text":"umbrella @ [[Home]]"},{"id":"2","type":"file","file":"Garden/Beds.md"}]}`)
	v.hide("Private/drawing.excalidraw.md", "umbrella @")
	v.hide("Private/Template.md", "# {{title}} @\n")
	for i := range 5 {
		v.hide(fmt.Sprintf("Private/Garden tools and plans %d @.md", i), "umbrella\n") // like the name of a good note, and the newest
	}
	v.hide("plan.secret.md", "the plan @, umbrella, [[Home]]\n")
	v.hide("Garden/@.secret.md", "umbrella @\n#garden\n")
	v.hide("Garden/NOTE @.SECRET.MD", "- [ ] umbrella @ #garden\n")
	v.hide("Mixed/inner/pay.secret.md", "umbrella @\n")
	v.hide("Mixed/inner/@.key", "umbrella @\n")
	v.hide("Work/2026/personal @/notes.md", "umbrella @ [[Home]]\n---\n")
	v.hide("Work/2026/deep/Personal.md", "umbrella @ [[Open]] [[open]]\n")
	nfd := norm.NFD.String("Tagebücher")
	v.hide(nfd+"/Juni.md", "umbrella @ [[Home]] #garden\n- [ ] @\n")
	v.hide(nfd+"/@.md", "umbrella @")
	v.hide("Boards/hidden.canvas", `{"nodes":[{"id":"1","type":"text","text":"@ umbrella"},{"id":"2","type":"file","file":"Home.md"}]}`)
	for day := 1; day <= 5; day++ {
		v.hide(fmt.Sprintf("Daily/2021-01-%02d.md", day), "# @\numbrella @ [[Home]]\n- [ ] @\n")
	}
	v.open(".agents/skills/garden/SKILL.md", "---\nname: garden\ndescription: Knows the umbrella and the garden.\n---\nSee references.\n")
	v.open(".agents/skills/garden/references/open.md", "umbrella\n")
	v.hide(".agents/skills/garden/notes.secret.md", "umbrella @\n")
	v.hide(".agents/skills/garden/references/pass.key", "umbrella @\n")
	v.hide(".agents/skills/garden/references/@.key", "umbrella\n")
	v.hide(".agents/skills/private/SKILL.md", "---\nname: private\ndescription: Knows @.\n---\numbrella @\n")
	v.hide("Old/Archive @/a.md", "umbrella @")
	for v.planted < 100 {
		v.hide("Old/"+fmt.Sprintf("%02d ", v.planted)+"@.md", "umbrella @")
	}

	// Files that only the program reads name private files too.
	first := slices.Sorted(maps(v.files))[0]
	v.open(".obsidian/app.json", `{"newFileLocation":"folder","newFileFolderPath":"Private/in","userIgnoreFilters":["`+first+`","Old/"]}`)
	v.open(".obsidian/daily-notes.json", `{"folder":"Daily","format":"YYYY-MM-DD","template":"Private/Template"}`)
	v.open(".obsidian/workspace.json", `{"main":{"type":"tabs","currentTab":0,"children":[{"id":"1","type":"leaf","state":{"state":{"file":"Home.md"}}},`+
		`{"id":"2","type":"leaf","state":{"state":{"file":"`+first+`"}}}]},"active":"1","lastOpenFiles":["`+first+`","Home.md"]}`)
	for link, to := range map[string]string{"shortcut.md": "Private/Mira.md", "Garden/short": "../Private", "mix.md": "Mixed/inner/pay.secret.md"} {
		if err := os.Symlink(to, filepath.Join(v.dir, filepath.FromSlash(link))); err != nil {
			v.t.Fatal(err)
		}
	}
}

// maps yields the keys of a map.
func maps[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// settings writes the user's private list, or removes it.
func (v *privateVault) settings(text string) {
	v.t.Helper()
	path := filepath.Join(v.home, "c", "chatvault", "config.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		v.t.Fatal(err)
	}
}

// run runs the real binary and returns all its output.
func (v *privateVault) run(env []string, args ...string) string {
	v.t.Helper()
	c := exec.Command(chatvault(v.t), append([]string{"--vault", v.dir}, args...)...)
	c.Dir, c.Env = v.home, append(slices.Clone(v.env), env...)
	out, err := c.CombinedOutput()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		v.t.Fatal(err)
	}
	return string(out)
}

// keeps fails the test if a text contains a secret.
func (v *privateVault) keeps(where, text string) {
	v.t.Helper()
	if found := secretRE.FindStringIndex(text); found != nil {
		from := max(found[0]-200, 0)
		v.t.Errorf("%s says a secret: …%s…", where, text[from:min(found[1]+100, len(text))])
	}
}

// untouched fails the test if a private file has changed.
func (v *privateVault) untouched() {
	v.t.Helper()
	for name, text := range v.files {
		data, err := os.ReadFile(filepath.Join(v.dir, filepath.FromSlash(name)))
		if err != nil || string(data) != text {
			v.t.Errorf("%q was touched: %v", name, err)
		}
	}
}
