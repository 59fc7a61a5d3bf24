package prompts

import (
	"fmt"
	"strings"
	"testing"
	"text/template"

	"pgregory.net/rapid"
)

// expected is what text/template makes of a prompt.
func expected(text string, v Vars) (string, error) {
	known := template.FuncMap{"join": strings.Join}
	for _, name := range []string{"printf", "print", "println", "html", "js", "urlquery", "call"} {
		known[name] = func(...any) (string, error) { return "", fmt.Errorf("refused") }
	}
	t, err := template.New("x.tmpl").Funcs(known).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, v); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

// asExpected compares a prompt with what text/template makes of it; how a fault is worded is ours.
func asExpected(t interface{ Errorf(string, ...any) }, text string, v Vars) {
	want, wantErr := expected(text, v)
	got := ""
	p, err := parseTemplate("x.tmpl", text)
	if err == nil {
		got, err = execute(p, v)
	}
	if want == "" && wantErr == nil {
		wantErr = errPromptEmpty
	}
	if got != want || (err == nil) != (wantErr == nil) {
		t.Errorf("%s\ncomes to %q, %v\nwant %q, %v", text, got, err, want, wantErr)
	}
}

func oracleVars() []Vars {
	return []Vars{{}, sampleVars(), {
		VaultName: "Garden", Notes: 7, Complete: true, Options: []string{"a", "bc", ""}, Top: []FolderCount{{"Beds", 4}, {"Pond", 0}},
		Tools: []Tool{{"read_file", "Read a file.", true}, {"write_file", "Write a file.", false}}, Goal: "dig", GoalTurn: 2,
	}}
}

func TestPromptsAreAsTextTemplateHasThem(t *testing.T) {
	for _, text := range []string{
		"{{.}}", "{{$}}", "{{.Notes}} {{.Complete}} {{.Options}} {{.Top}} {{.Tools}}", "{{.Nothing}}", "{{.VaultName.Len}}", "{{nil}}", "{{(.Top).Path}}",
		"{{1}} {{-2}} {{0x1F}} {{1e3}} {{1.5}} {{'a'}} {{2i}} {{1_000}} {{true}} {{\"q\\n\"}}x", "{{0x1p4}}", "{{0xE}}", "{{'e'}}", "{{99999999999999999999}}", "{{18446744073709551615}}",
		"{{with .Goal}}{{.}}{{$.VaultName}}{{else with .VaultName}}[{{.}}]{{else}}no{{end}}", "{{with $x := .Goal}}{{$x}}{{end}}{{$x := 2}}{{$x}}",
		"{{if .Goal}}a{{else if .Complete}}b{{else}}c{{end}}", "{{$x := 1}}{{if true}}{{$x = 2}}{{$x := 3}}{{$x}}{{end}}{{$x}}", "{{$x}}",
		"{{range .Options}}<{{.}}>{{else}}none{{end}}", "{{range $o := .Options}}{{$o}};{{end}}", "{{range $i, $o := .Options}}{{$i}}{{$o}}{{end}}", "{{$i := 5}}{{range $i = .Options}}{{end}}{{$i}}",
		"{{$i := 9}}{{$o := 8}}{{range $i, $o = .Options}}{{end}}{{$i}}{{$o}}", "{{range 3}}{{.}}{{end}}", "{{range $i := 3}}{{$i}}{{end}}", "{{range $i, $x := 3}}{{$i}}{{end}}", "{{range -1}}x{{else}}y{{end}}",
		"{{range .VaultName}}{{.}}{{end}}", "{{range .Complete}}{{end}}", "{{range nil}}{{end}}", "{{range 5}}{{if eq . 1}}{{continue}}{{end}}{{if eq . 3}}{{break}}{{end}}{{.}}{{end}}z",
		"{{range .Tools}}{{.Name}}{{range $.Options}}{{break}}{{end}}{{end}}z", "{{range .Top}}{{$n := .Notes}}{{$n}}{{end}}",
		`{{define "x"}}[{{.}}]{{end}}{{template "x" .VaultName}}{{template "x"}}`, `{{define "x"}}{{.Path}}{{end}}{{template "x"}}z`, `{{template "nope"}}`, `{{block "x" .Goal}}<{{.}}>{{end}}{{template "x" 1}}`,
		`{{define "x"}}{{$y}}{{end}}{{$y := 1}}{{template "x"}}`, `{{define "x"}}1{{end}}{{define "x"}}2{{end}}{{template "x"}}`, `{{define "x.tmpl"}}1{{end}}`, `{{$x := 1}}{{define "x"}}{{$}}{{end}}{{template "x" $x}}`,
		`{{if true}}{{template "x" $v := 1}}{{end}}{{define "x"}}{{.}}{{end}}`, `{{define "only"}}x{{end}}`, "{{/* c */}}x {{- 1 -}} y", "{{ 1 | eq 1 }}", "{{ .Options | len }}", "{{ .VaultName | len | eq 6 }}",
		`{{", " | join .Options}}`, "{{join .Options}}", `{{join .VaultName ","}}`, `{{join .Options 1}}`, `{{join nil ","}}`, `{{.VaultName | .Goal}}`, "{{1 2}}", "{{.VaultName 1}}", "{{$x := 1}}{{$x 2}}", "{{(1) 2}}", "{{1 | 2}}",
		"{{and}}", "{{or}}", "{{not}}", "{{and 1}}", "{{or 0}}", "{{and 1 0 2}}", "{{or 0 \"\" 3}}", "{{and .Goal (index .Options 99)}}z", "{{or 1 (index .Options 99)}}", "{{0 | or 1}}", "{{5 | and 1}}", "{{5 | or 0}}", "{{nil | and 1}}", "{{and nil 1}}z", "{{or nil}}z", "{{not nil}}", "{{not 1 2}}",
		"{{len .Options}}{{len .VaultName}}{{len \"é\"}}", "{{len 3}}", "{{len nil}}", "{{len .}}", "{{index .Options 0}}", "{{index .Options 3}}", "{{index .Options -1}}", "{{index .VaultName 0}}", "{{index .Top 0}}", "{{index .Top 0 0}}", "{{index .Options 0 0}}", "{{index .Options}}",
		"{{index .Options \"0\"}}", "{{index .Options nil}}", "{{index 1}}", "{{index}}", "{{index nil}}", "{{index 1 1}}", "{{index nil 0}}", "{{(index .Top 1).Path}}", "{{(index .Top 1).Nope}}",
		"{{slice .Options 1}}", "{{slice .Options 0 2}}", "{{slice .Options 0 1 1}}", "{{slice .Options 2 1}}", "{{slice .Options 0 9}}", "{{slice .Options 0 1 2 3}}", "{{slice .VaultName 1 3}}", "{{slice .VaultName 1 2 3}}", "{{slice 1}}", "{{slice nil}}", "{{slice .Options}}", "{{slice .VaultName 9}}", `{{join (slice .Options 1) "-"}}`,
		"{{eq 1}}", "{{eq 1 2 1}}", "{{eq 1 1.0}}", "{{eq \"a\" 1}}", "{{eq nil nil}}", "{{eq nil 1}}", "{{eq .Options nil}}", "{{eq .Options .Options}}", "{{eq .Options 1}}", "{{eq . .}}", "{{eq . 1}}", "{{eq (index .Top 0) (index .Top 0)}}", "{{eq (index .Top 0) (index .Tools 0)}}", "{{eq true .Complete}}", "{{eq 1 2 \"a\"}}", "{{eq 1 1 \"a\"}}", "{{eq 1.5 1.5}}", "{{eq 1i 1i}}",
		"{{ne 1 2}}", "{{ne 1}}", "{{ne nil nil}}", "{{ne 1 2 3}}", "{{lt 1 2}}", "{{lt 1 2.0}}", "{{lt 1.0 2.0}}", "{{lt \"a\" \"b\"}}", "{{lt true false}}", "{{le 2 2}}", "{{le true true}}", "{{gt 2 1}}", "{{gt 1 1}}", "{{ge 1 1}}", "{{ge 1i 1i}}", "{{lt nil 1}}", "{{le nil nil}}", "{{lt .Options .Options}}",
		"{{print 1}}", "{{html 1}}", "{{$x := print}}", "{{$x := .Options}}{{len $x}}", "{{$x := .}}{{$x.VaultName}}{{$x.Nope}}", "{{$.Top}}", "{{.Top.Path}}", "{{.Goal.Goal}}", "{{if len .Options}}y{{end}}z", "{{if .}}y{{end}}", "{{if nil}}{{end}}", "{{if 0.0}}y{{else}}n{{end}}", "{{if 'a'}}y{{end}}", "{{break}}", "{{end}}", "{{", "{{}}", "{{range .}}{{end}}", "a{{with 0}}{{end}}",
	} {
		for _, v := range oracleVars() {
			asExpected(t, text, v)
		}
	}
}

// Templates that nobody wrote, too.
func TestPromptsAreAsTextTemplateHasThemAtRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return someNode(t, 2) }), 1, 5).Draw(t, "text"), "")
		for _, v := range oracleVars() {
			asExpected(t, text, v)
		}
	})
}

func someNode(t *rapid.T, depth int) string {
	inner := func() string {
		if depth == 0 {
			return "."
		}
		return someNode(t, depth-1)
	}
	switch rapid.IntRange(0, 9).Draw(t, "node") {
	case 0:
		return "{{if " + someValue(t, 2) + "}}" + inner() + "{{else}}" + inner() + "{{end}}"
	case 1:
		return "{{with " + someValue(t, 2) + "}}" + inner() + "{{end}}"
	case 2:
		return "{{range " + rapid.SampledFrom([]string{"", "$x := ", "$i, $x := "}).Draw(t, "as") + someValue(t, 1) + "}}" + inner() + rapid.SampledFrom([]string{"", "{{break}}", "{{continue}}"}).Draw(t, "then") + inner() + "{{end}}"
	case 3:
		return "{{$x := " + someValue(t, 2) + "}}" + inner() + "{{$x}}"
	case 4:
		return `{{define "d"}}` + inner() + `{{end}}{{template "d" ` + someValue(t, 1) + "}}"
	case 5:
		return "text "
	}
	return "{{" + someValue(t, 3) + "}}"
}

func someValue(t *rapid.T, depth int) string {
	if depth == 0 || rapid.Bool().Draw(t, "leaf") {
		return rapid.SampledFrom([]string{".", "$", ".VaultName", ".Options", ".Top", ".Tools", ".Goal", ".Notes", ".Complete", ".Name", ".Path", "$.Options", "$.Top", "0", "1", "2", "1.5", `""`, `"Garden"`, "true", "nil", "$x"}).Draw(t, "value")
	}
	arg := func() string { return "(" + someValue(t, depth-1) + ")" }
	switch f := rapid.SampledFrom([]string{"and", "or", "not", "len", "index", "slice", "eq", "ne", "lt", "le", "gt", "ge", "join"}).Draw(t, "function"); f {
	case "not", "len":
		return f + " " + arg()
	case "join":
		return f + " " + arg() + ` "-"`
	default:
		if rapid.Bool().Draw(t, "pipe") {
			return someValue(t, depth-1) + " | " + f + " " + arg()
		}
		return f + " " + arg() + " " + arg()
	}
}
