package prompts

import (
	"os"
	"strings"
	"testing"
	"time"
)

func writePrompt(t *testing.T, root *os.Root, name, text string) {
	t.Helper()
	if err := root.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := root.WriteFile(folder+"/"+name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestBuiltinPrompts: each built-in prompt renders with all variables set and with none, and lists its variables at
// the top.
func TestBuiltinPrompts(t *testing.T) {
	for _, name := range names() {
		for _, v := range []Vars{sampleVars(), {}} {
			if text, err := Builtin(name, v); err != nil || strings.Contains(text, "<no value>") {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		}
		text, err := builtinFiles.ReadFile(name + suffix)
		if err != nil || !strings.HasPrefix(string(text), "{{- /* ") {
			t.Errorf("%s has no comment on its variables at its head (%v)", name, err)
		}
	}
}

func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"Read a text file of the vault. Every line comes.": "Read a text file of the vault.",
		"Say it\nplainly\n\nExample: x.":                   "Say it plainly",
		"Takes `*.md` and more! Then.":                     "Takes `*.md` and more!",
		"  ":                                               "",
		"No end":                                           "No end",
	} {
		if got := firstSentence(text); got != want {
			t.Errorf("firstSentence(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestPromptTemplates: a vault's template can only write text from its variables. It ends, in little memory, and
// errors have a line number.
func TestPromptTemplates(t *testing.T) {
	v := Vars{VaultName: "Garden", Options: []string{"a", "b"}, Tools: []Tool{{Name: "read_file", ReadOnly: true}}}
	deep := strings.Repeat("{{range $.Options}}", 30) + "{{.}}" + strings.Repeat("{{end}}", 30)
	for _, c := range []struct{ name, text, want, fault string }{
		{"text", "Hello", "Hello", ""},
		{"variable", "{{/* a note */}}Vault {{.VaultName}}.\n", "Vault Garden.", ""},
		{"functions", `{{join .Options ", "}} {{len .Tools}} {{if and (eq .VaultName "Garden") (not .Goal)}}yes{{end}}`, "a, b 1 yes", ""},
		{"range", "{{range $i, $t := .Tools}}{{$i}}{{$t.Name}}{{if .ReadOnly}}!{{end}}{{else}}none{{end}}", "0read_file!", ""},
		{"blocks", `{{define "x"}}<{{.}}>{{end}}{{template "x" .VaultName}}`, "<Garden>", ""},
		{"not closed", "a\n{{if .Goal}}b", "", "x.tmpl:2: unexpected EOF"},
		{"no such function", "a\nb\n{{shell \"rm\"}}", "", `x.tmpl:3: function "shell" not defined`},
		{"unknown variable", "a\n{{.Vault}}", "", "x.tmpl:2:2: executing \"x.tmpl\" at <.Vault>: can't evaluate field Vault"},
		{"unknown field", "{{range .Tools}}\n{{.Title}}{{end}}", "", "x.tmpl:2:2: executing \"x.tmpl\" at <.Title>: can't evaluate field Title"},
		{"refused function", "\n\n{{printf \"%d\" 1}}", "", "x.tmpl:3:2: executing \"x.tmpl\" at <printf \"%d\" 1>: error calling printf: it is not available in a prompt"},
		{"method", "{{.VaultName.Len}}", "", "x.tmpl:1:12: executing \"x.tmpl\" at <.VaultName.Len>: can't evaluate field Len"},
		{"index", "{{index .Options 9}}", "", "x.tmpl:1:2: executing \"x.tmpl\" at <index .Options 9>: error calling index: "},
		{"empty", "{{/* nothing */}}  \n", "", errPromptEmpty.Error()},
		{"long", strings.Repeat("{{range $.Options}}", 8) + strings.Repeat("x", 4096) + strings.Repeat("{{end}}", 8), "", errPromptSize.Error()},
		{"endless loop", "a\n\n{{range 1000000000}}{{end}}", "", "x.tmpl:3:20: executing \"x.tmpl\" at <step>: error calling step: " + errPromptSteps.Error()},
		{"deep loop", deep, "", "x.tmpl:1:570: executing \"x.tmpl\" at <step>: error calling step: " + errPromptSteps.Error()},
		{"recursion", `{{define "x"}}{{template "x"}}{{end}}{{template "x"}}`, "", "x.tmpl:1:14: executing \"x\" at <step>: error calling step: " + errPromptSteps.Error()},
		{"wide recursion", `{{define "x"}}{{range 9}}{{template "x"}}{{end}}{{end}}{{template "x"}}`, "", "x.tmpl:1:25: executing \"x\" at <step>: error calling step: " + errPromptSteps.Error()},
		{"growing text", "{{$x := .VaultName}}{{range 99}}{{$x = print $x $x}}{{end}}", "", "x.tmpl:1:39: executing \"x.tmpl\" at <print $x $x>: error calling print: "},
	} {
		start := time.Now()
		text, err := render("x", c.text, v)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if text != c.want || !strings.HasPrefix(got, c.fault) || c.fault == "" && got != "" {
			t.Errorf("%s: %q, %q", c.name, text, got)
		}
		if d := time.Since(start); d > 10*time.Second { // unbounded, it would never end
			t.Errorf("%s took %v", c.name, d)
		}
	}
}

// TestJoinIsBounded: a joined separator cannot make a text of unlimited length.
func TestJoinIsBounded(t *testing.T) {
	_, err := render("x", "\n{{$x := .VaultName}}{{range 99}}{{$x = join $.Options $x}}{{end}}", Vars{VaultName: "Garden", Options: make([]string, 20)})
	if err == nil || err.Error() != "x.tmpl:2:39: executing \"x.tmpl\" at <join $.Options $x>: error calling join: "+errPromptSize.Error() {
		t.Error(err)
	}
}

// TestPromptFiles: a vault's prompt is used while it is valid, read again when it changes, and a problem with it is
// reported once per change.
func TestPromptFiles(t *testing.T) {
	root := state(t)
	p := NewFiles(root, agreeAll)
	v := Vars{VaultName: "Garden"}
	builtin, err := Builtin(System, v)
	if err != nil {
		t.Fatal(err)
	}
	render := func(wantText string, wantOwn bool, wantProblem string) {
		t.Helper()
		text, own, problem, err := p.Render("system", v)
		if err != nil || text != wantText || own != wantOwn || (problem == "") != (wantProblem == "") || !strings.Contains(problem, wantProblem) {
			t.Errorf("%q, own %v, problem %q, %v", text, own, problem, err)
		}
	}
	render(builtin, false, "")
	writePrompt(t, root, "system.tmpl", "\ufeffBe brief about {{.VaultName}}.")
	render("Be brief about Garden.", true, "")
	writePrompt(t, root, "system.tmpl", "Be\n{{.Vault}}")
	render(builtin, false, ".smarthole/prompts/system.tmpl cannot be used, so the built-in prompt is used: system.tmpl:2:2: executing \"system.tmpl\" at <.Vault>: can't evaluate field Vault")
	render(builtin, false, "")
	writePrompt(t, root, "system.tmpl", "Be\n\n{{.VaultName}")
	render(builtin, false, "system.tmpl:3: ")
	render(builtin, false, "")
	writePrompt(t, root, "system.tmpl", "\xff\xfe")
	render(builtin, false, "not UTF-8")
	writePrompt(t, root, "system.tmpl", strings.Repeat("x", maxPromptFile+1))
	render(builtin, false, "64 KB")
	writePrompt(t, root, "system.tmpl", strings.Repeat("x", maxPromptFile))
	render(strings.Repeat("x", maxPromptFile), true, "")
	if err := root.Remove(folder + "/system.tmpl"); err != nil {
		t.Fatal(err)
	}
	render(builtin, false, "")
	if err := root.WriteFile("secret", []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := root.Symlink("../secret", folder+"/system.tmpl"); err != nil {
		t.Fatal(err)
	}
	render(builtin, false, "not a regular file")
	render(builtin, false, "")
	if _, _, _, err := p.Render("nonsense", v); err == nil {
		t.Error("a prompt called nonsense exists")
	}
}

func state(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// agreeAll is an owner's consent to everything in the vault.
func agreeAll(string, []byte) bool { return true }
