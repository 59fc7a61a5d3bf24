package skill

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/internal/base/trust"
)

// front is a SKILL.md of a name.
func front(name string) string {
	return "---\nname: " + name + "\ndescription: Does it.\n---\n\n# How\n"
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// TestSkills: what makes a folder a skill, after agentskills.io/specification, and what is told of one
// that is none.
func TestSkills(t *testing.T) {
	for name, c := range map[string]struct {
		folder string // default "a"
		main   string
		want   string // the description
		why    string // part of why it cannot be used
	}{
		"as the specification has it": {main: "---\nname: a\ndescription: Reads it. Use when asked.\nlicense: Apache-2.0\nmetadata:\n  author: x\nallowed-tools: Bash(git:*) Read\n---\nText", want: "Reads it. Use when asked."},
		"quoted, folded":              {main: "---\nname: 'a'\ndescription: >-\n  One\n  two.\n---\n", want: "One two."},
		"CRLF and BOM":                {main: "\ufeff---\r\nname: a\r\ndescription: Does it.\r\n---\r\nText\r\n", want: "Does it."},
		"digits and hyphens":          {folder: "pdf-2-text", main: front("pdf-2-text"), want: "Does it."},
		"letters of others":           {folder: "größe", main: front("größe"), want: "Does it."},
		"escapes":                     {main: "---\nname: a\ndescription: \"Red \\e[31m\\u202eflow\"\n---\n", want: "Red [31mflow"},

		"no front matter":    {main: "# How\n", why: "no front matter"},
		"open front matter":  {main: "---\nname: a\ndescription: b\n", why: "no front matter"},
		"no name":            {main: "---\ndescription: b\n---\n", why: "gives no name"},
		"no description":     {main: "---\nname: a\n---\n", why: "gives no description"},
		"blank description":  {main: "---\nname: a\ndescription: ' '\n---\n", why: "gives no description"},
		"description a list": {main: "---\nname: a\ndescription: [b]\n---\n", why: "gives no description"},
		"another's name":     {main: front("b"), why: "not that of its folder"},
		"capitals":           {folder: "PDF", main: front("PDF"), why: "lower-case letters"},
		"hyphen first":       {folder: "-pdf", main: front("-pdf"), why: "hyphen"},
		"two hyphens":        {folder: "a--b", main: front("a--b"), why: "hyphen"},
		"an escape":          {folder: "ev\x1b[31mil", main: front("evil"), why: "not that of its folder"},
		"a blank":            {folder: "a b", main: front("a b"), why: "is not valid"},
		"long name":          {folder: strings.Repeat("a", 65), main: front(strings.Repeat("a", 65)), why: "at most 64"},
		"long description":   {main: "---\nname: a\ndescription: " + strings.Repeat("é", 1025) + "\n---\n", why: "1025 characters"},
		"no YAML":            {main: "---\nname: [a\ndescription: {\n---\n", why: "cannot be read"},
		"no text":            {main: front("a") + "\xff", why: "UTF-8"},
		"too large":          {main: front("a") + strings.Repeat("x", maxMain), why: "64 KB"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, folder := t.TempDir(), c.folder
			if folder == "" {
				folder = "a"
			}
			write(t, dir, "s/"+folder+"/SKILL.md", c.main)
			all := In(trust.NewBudget(), open(t, dir), []string{"s"}, nil)
			if len(all) != 1 || !strings.Contains(all[0].Why, c.why) || (c.why == "") != (all[0].Why == "") || c.why == "" && all[0].Description != c.want || strings.Contains(all[0].Folder, "\x1b") {
				t.Errorf("%+v", all)
			}
		})
	}
}

// TestWhatIsRead: regular files in the folder and nothing else.
func TestWhatIsRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "secret.md", "secret")
	write(t, dir, "s/a/SKILL.md", front("a"))
	write(t, dir, "s/a/references/deep/x.md", "x")
	write(t, dir, "s/a/scripts/run.sh", "#!/bin/sh\n")
	write(t, dir, "s/a/private.md", "private")
	write(t, dir, "s/a/.git/config", "hidden")
	write(t, dir, "s/notes.md", "no skill")
	write(t, dir, "s/empty/other.md", "no skill")
	write(t, dir, "s/.hidden/SKILL.md", front("hidden"))
	write(t, dir, "s/p/SKILL.md", front("p"))
	write(t, dir, "elsewhere/SKILL.md", front("elsewhere"))
	for link, to := range map[string]string{"s/a/link.md": "../../secret.md", "s/a/folder": "../../elsewhere", "s/elsewhere": "../elsewhere", "s/q": "/etc"} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	all := In(trust.NewBudget(), open(t, dir), []string{"none", "s"}, func(name string) bool {
		return strings.HasSuffix(name, "private.md") || name == "s/p/SKILL.md"
	})
	var names []string
	for _, s := range all {
		names = append(names, s.Folder+" "+s.Why)
	}
	if !slices.Equal(names, []string{"s/a ", "s/elsewhere it is a link, which is not followed", "s/q it is a link, which is not followed"}) {
		t.Fatalf("%q", names)
	}
	if got := all[0].Resources(); !slices.Equal(got, []string{"references/deep/x.md", "scripts/run.sh"}) {
		t.Errorf("%q", got)
	}
	for _, name := range []string{"link.md", "folder/SKILL.md", "private.md", ".git/config", "../../secret.md", "references/../../p/SKILL.md", "/etc/hostname", "", "SKILL.md"} {
		if data, ok := all[0].Resource(name); ok {
			t.Errorf("%s: %q", name, data)
		}
	}
	if data, ok := all[0].Resource("scripts/run.sh"); !ok || string(data) != "#!/bin/sh\n" {
		t.Errorf("%q", data)
	}
}

func TestBounds(t *testing.T) {
	for why, fill := range map[string]func(t *testing.T, dir string){
		"more than 200 files": func(t *testing.T, dir string) {
			for i := range maxFiles {
				write(t, dir, "s/a/"+strings.Repeat("x", i+1), "")
			}
		},
		"larger than 1024 KB": func(t *testing.T, dir string) {
			for _, name := range []string{"x", "y"} {
				write(t, dir, "s/a/"+name, strings.Repeat("x", maxAll/2))
			}
		},
		"deeper than 5":     func(t *testing.T, dir string) { write(t, dir, "s/a/1/2/3/4/5/6/x", "") },
		"cannot be written": func(t *testing.T, dir string) { write(t, dir, "s/a/x\ny", "") },
	} {
		t.Run(why, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "s/a/SKILL.md", front("a"))
			fill(t, dir)
			if all := In(trust.NewBudget(), open(t, dir), []string{"s"}, nil); len(all) != 1 || !strings.Contains(all[0].Why, why) {
				t.Errorf("%+v", all)
			}
		})
	}
}

// TestALotOfSkills: what a vault may bring is bounded, as it is read again and again.
func TestALotOfSkills(t *testing.T) {
	many := func(n int, make func(dir, name string)) string {
		dir := t.TempDir()
		for i := range n {
			make(dir, strings.Repeat("a", 1+i%50)+strings.Repeat("b", i/50))
		}
		return dir
	}
	skill := func(dir, name string) { write(t, dir, ".agents/skills/"+name+"/SKILL.md", front(name)) }
	for name, c := range map[string]struct {
		dir  string
		want string
	}{
		"large": {many(9, func(dir, name string) {
			skill(dir, name)
			write(t, dir, ".agents/skills/"+name+"/x", strings.Repeat("x", maxAll-1000))
		}), "too many bytes"},
		"larger than a one": {many(9, func(dir, name string) {
			skill(dir, name)
			write(t, dir, ".agents/skills/"+name+"/x", strings.Repeat("x", maxAll+1))
		}), "too many bytes"},
		"large, but not too": {many(7, func(dir, name string) {
			skill(dir, name)
			write(t, dir, ".agents/skills/"+name+"/x", strings.Repeat("x", maxAll-1000))
		}), ""},
		"empty folders": {many(60, func(dir, name string) {
			skill(dir, name)
			for i := range 50 {
				write(t, dir, fmt.Sprintf(".agents/skills/%s/%d/.hidden", name, i), "")
			}
		}), "too many files and folders"},
		"no skills at all": {many(3100, func(dir, name string) { write(t, dir, ".claude/skills/"+name, "") }), "too many files and folders"},
		"a few hundred":    {many(300, skill), ""},
	} {
		t.Run(name, func(t *testing.T) {
			answers, err := trust.Load(open(t, t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			l := &Library{Vault: open(t, c.dir), Answers: answers}
			all := l.Brought()
			switch off := answers.Off(); {
			case c.want == "" && (off != nil || len(all) == 0):
				t.Errorf("%d, %v", len(all), off)
			case c.want != "" && (off == nil || !strings.Contains(off.Error(), c.want) || len(all) > 0 || l.Brought() != nil):
				t.Errorf("%d, %v", len(all), off)
			}
		})
	}
}

// TestConsentCoversAll: whatever differs between two skills, they are two things to agree to.
func TestConsentCoversAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Texts of the words in which a skill is told, so that one could pass for another.
		texts := rapid.SliceOfN(rapid.SampledFrom([]string{"SKILL.md", "a", "b", ", ", "1", " bytes", ":", "\n", "\x00", "\xff", "no text, SHA-256 "}), 0, 6)
		skill := func(label string) Skill {
			s := Skill{Folder: "f", files: []resource{{MainFile, []byte(strings.Join(texts.Draw(t, label), ""))}}}
			for _, name := range []string{"a", "b"} {
				if rapid.Bool().Draw(t, label+name) {
					s.files = append(s.files, resource{name, []byte(strings.Join(texts.Draw(t, label+" "+name), ""))})
				}
			}
			return s
		}
		one, two := skill("one"), skill("two")
		same := slices.EqualFunc(one.files, two.files, func(a, b resource) bool { return a.name == b.name && bytes.Equal(a.data, b.data) })
		if f, g := one.File(), two.File(); bytes.Equal(f.Data, g.Data) != same {
			t.Errorf("%q, %q", f.Data, g.Data)
		}
	})
}

// TestLibrary: what counts.
func TestLibrary(t *testing.T) {
	dir, own, state := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, dir, ".agents/skills/a/SKILL.md", front("a"))
	write(t, dir, ".agents/skills/b/SKILL.md", front("b"))
	write(t, dir, ".claude/skills/a/SKILL.md", front("a"))
	write(t, own, "skills/b/SKILL.md", front("b"))
	write(t, own, "skills/c/SKILL.md", front("c"))
	if err := os.Symlink("../../.agents/skills/b", filepath.Join(dir, ".claude/skills/b")); err != nil {
		t.Fatal(err)
	}
	answers, err := trust.Load(open(t, state))
	if err != nil {
		t.Fatal(err)
	}
	l := &Library{Vault: open(t, dir), Answers: answers, Own: []string{filepath.Join(own, "none"), filepath.Join(own, "skills")}}
	told := func() string {
		used, others := l.All()
		var b strings.Builder
		for _, s := range used {
			b.WriteString(strings.TrimPrefix(s.Folder, own+"/") + " ")
		}
		for _, s := range others {
			b.WriteString("| " + strings.TrimPrefix(s.Folder, own+"/") + " " + s.Why)
		}
		return b.String()
	}
	twice := "| .claude/skills/a .agents/skills/a has the same name"
	if got, want := told(), "skills/b skills/c | .agents/skills/a | .agents/skills/b "+twice; got != want {
		t.Errorf("%s\nwant: %s", got, want)
	}
	for _, s := range l.Brought() {
		if s.Name == "b" {
			if err := answers.Keep([]trust.File{s.File()}, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := told(), ".agents/skills/b skills/c | .agents/skills/a "+twice+"| skills/b .agents/skills/b has the same name"; got != want {
		t.Errorf("%s\nwant: %s", got, want)
	}
	write(t, dir, ".agents/skills/b/more.md", "more")
	if got := told(); !strings.HasPrefix(got, "skills/b skills/c | ") {
		t.Errorf("with another file: %s", got)
	}
	for i := range maxUsed {
		name := "x" + strings.Repeat("y", i)
		write(t, own, "skills/"+name+"/SKILL.md", front(name))
	}
	if used := l.Used(); len(used) != maxUsed {
		t.Errorf("%d skills", len(used))
	}
}
