package prompts

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"chatvault/internal/lazyregexp"
)

// A prompt's template may come with a vault, from anybody. So it sees plain data only, has no
// function that makes text of any length, and is bounded in what it writes and how long it runs.
const (
	maxPromptOutput = 256 << 10 // bytes a prompt may come to
	maxPromptSteps  = 2_000     // rounds of range, and templates called
)

var (
	errPromptSize  = fmt.Errorf("it comes to more than %d KB", maxPromptOutput>>10)
	errPromptSteps = fmt.Errorf("it loops more than %d times", maxPromptSteps)
	errPromptEmpty = errors.New("it comes to nothing: write what the model is to be told, or remove the file")
)

// stepName is the function that counts steps; it is put where a template could go on forever.
const stepName = "countStep"

// refusedFunctions make text of any length, or of a kind no prompt needs.
var refusedFunctions = []string{"printf", "print", "println", "html", "js", "urlquery", "call"}

// functions are what a template can call beside the comparisons, and, or, not, len, index
// and slice of text/template.
func functions(step func() (string, error)) template.FuncMap {
	f := template.FuncMap{
		stepName: step,
		"join":   strings.Join,
	}
	for _, name := range refusedFunctions {
		f[name] = func(...any) (string, error) { return "", errors.New("it is not available in a prompt") }
	}
	return f
}

func noStep() (string, error) { return "", nil }

// parseTemplate parses a prompt's template; the error says where it is wrong.
func parseTemplate(file, text string) (*template.Template, error) {
	t, err := template.New(file).Funcs(functions(noStep)).Parse(text)
	if err != nil {
		return nil, fault(err)
	}
	for _, part := range t.Templates() {
		if part.Tree == nil {
			continue
		}
		countSteps(part.Root)
		place, _ := part.ErrorContext(part.Root) // "name:line:column"
		line := 1
		if at := strings.Split(place, ":"); len(at) > 1 {
			line, _ = strconv.Atoi(at[1])
		}
		part.Root.Nodes = append([]parse.Node{stepAt(line)}, part.Root.Nodes...)
	}
	return t, nil
}

// stepAt is a step that stands in a line, which a fault names; in a template of absurdly many
// lines it stands in an earlier one, so that the steps stay small.
func stepAt(line int) parse.Node {
	text := strings.Repeat("\n", min(max(line, 1), 2000)-1) + "{{" + stepName + "}}"
	nodes := template.Must(template.New("step").Funcs(functions(noStep)).Parse(text)).Root.Nodes
	return nodes[len(nodes)-1]
}

// countSteps makes each round of each range begin with a step.
func countSteps(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		var b *parse.BranchNode
		switch n := n.(type) {
		case *parse.IfNode:
			b = &n.BranchNode
		case *parse.WithNode:
			b = &n.BranchNode
		case *parse.RangeNode:
			b = &n.BranchNode
		default:
			continue
		}
		countSteps(b.List)
		countSteps(b.ElseList)
		if b.NodeType == parse.NodeRange {
			b.List.Nodes = append([]parse.Node{stepAt(b.Line)}, b.List.Nodes...)
		}
	}
}

// execute renders a template of parseTemplate.
func execute(t *template.Template, v Vars) (string, error) {
	steps := 0
	t, err := t.Clone()
	if err != nil {
		return "", err
	}
	t.Funcs(functions(func() (string, error) {
		if steps++; steps > maxPromptSteps {
			return "", errPromptSteps
		}
		return "", nil
	}))
	var w writer
	if err := t.Execute(&w, v); err != nil {
		return "", fault(err)
	}
	text := strings.TrimSpace(w.text.String())
	if text == "" {
		return "", errPromptEmpty
	}
	return text, nil
}

// writer takes what a prompt may come to and no more.
type writer struct{ text strings.Builder }

func (w *writer) Write(p []byte) (int, error) {
	if w.text.Len()+len(p) > maxPromptOutput {
		return 0, errPromptSize
	}
	return w.text.Write(p)
}

var (
	faultPlace   = lazyregexp.New(`^template: [^:]*:(\d+):(?:\d+:)? `)
	faultDoing   = lazyregexp.New(`^executing "[^"]*" at (<.*?>): `)
	faultUnknown = lazyregexp.New(`can't evaluate field (\w+) in type (?:\*?prompts\.)?(\w+)`)
	faultCalling = lazyregexp.New(`error calling (\w+): `)
)

// fault puts what text/template says of a fault into a person's words: the line, and what
// is wrong there.
func fault(err error) error {
	text, line := err.Error(), ""
	if m := faultPlace().FindStringSubmatch(text); m != nil {
		text, line = text[len(m[0]):], "line "+m[1]+": "
	}
	for _, bound := range []error{errPromptSteps, errPromptSize} {
		if errors.Is(err, bound) {
			return fmt.Errorf("%s%w", line, bound)
		}
	}
	at := ""
	if m := faultDoing().FindStringSubmatch(text); m != nil {
		text, at = text[len(m[0]):], m[1]
	}
	switch unknown, calling := faultUnknown().FindStringSubmatch(text), faultCalling().FindStringSubmatch(text); {
	case unknown != nil:
		text = "there is no variable ." + unknown[1]
		if known := variableNames(unknown[2]); known != "" {
			text += " here; there are " + known
		}
	case calling != nil:
		text = calling[1] + ": " + strings.TrimPrefix(text, calling[0])
	case at != "":
		text = at + ": " + text
	}
	return errors.New(line + text)
}

// variableNames lists the variables of a type of ours, by its name.
func variableNames(typeName string) string {
	for _, t := range []reflect.Type{reflect.TypeFor[Vars](), reflect.TypeFor[FolderCount](), reflect.TypeFor[Tool]()} {
		if t.Name() != typeName {
			continue
		}
		names := make([]string, t.NumField())
		for i := range names {
			names[i] = "." + t.Field(i).Name
		}
		return strings.Join(names, ", ")
	}
	return ""
}

// sampleLength is how long the lists of sampleVars are: as those of a turn, which has so many
// tools, so that a template that loops too much for a turn does here.
const sampleLength = 20

// sampleVars fills every variable, for a look at a template before it is needed.
func sampleVars() Vars {
	v := Vars{}
	fill(reflect.ValueOf(&v).Elem())
	return v
}

// fill gives a value of plain data something in each place.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Int:
		v.SetInt(2)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), sampleLength, sampleLength))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
		panic("a prompt's variable of kind " + strconv.Quote(v.Kind().String()) + " is no plain data")
	}
}
