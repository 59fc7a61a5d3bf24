package prompts

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
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
	errPromptEmpty = errors.New("it is empty: write what the model should be told, or remove the file")
)

// prompt is a parsed template with those that it defines.
type prompt struct {
	root  *parse.Tree
	parts map[string]*parse.Tree
}

// parseTemplate parses a prompt's template; the error says where it is wrong.
func parseTemplate(file, text string) (*prompt, error) {
	names := make(map[string]any, len(functions())+2)
	for name := range functions() {
		names[name] = true
	}
	names["and"], names["or"] = true, true
	parts, err := parse.Parse(file, text, "", "", names)
	if err != nil {
		return nil, parseFault(err)
	}
	return &prompt{parts[file], parts}, nil
}

var faultPlace = lazyregexp.New(`^template: [^:]*:(\d+):(?:\d+:)? `)

// parseFault puts what the parser says of a fault into a person's words: the line, and what is wrong
// there.
func parseFault(err error) error {
	text := err.Error()
	if m := faultPlace().FindStringSubmatch(text); m != nil {
		return errors.New("line " + m[1] + ": " + text[len(m[0]):])
	}
	return err
}

// faultAt is an error with the line of a node.
func faultAt(n parse.Node, err error) error {
	place, _ := (*parse.Tree)(nil).ErrorContext(n) // "name:line:column"
	line := "1"
	if at := strings.Split(place, ":"); len(at) > 2 {
		line = at[len(at)-2]
	}
	return fmt.Errorf("line %s: %w", line, err)
}

// execute renders a template of parseTemplate.
func execute(p *prompt, v Vars) (string, error) {
	r := rendering{parts: p.parts}
	dot := reflect.ValueOf(v)
	if err := r.template(p.root, dot); err != nil {
		return "", err
	}
	text := strings.TrimSpace(r.text.String())
	if text == "" {
		return "", errPromptEmpty
	}
	return text, nil
}

// variableNames are the variables that a value of a type has; none where it is no type of ours.
func variableNames(t reflect.Type) []string {
	if t.Kind() != reflect.Struct {
		return nil
	}
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = "." + t.Field(i).Name
	}
	return names
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
		for _, field := range v.Fields() {
			fill(field)
		}
	default:
		panic("a prompt's variable of kind " + strconv.Quote(v.Kind().String()) + " is not plain data")
	}
}
