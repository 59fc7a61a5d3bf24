package prompts

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
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

// function is what a template can call.
type function func(args []reflect.Value) (reflect.Value, error)

// functions are those of text/template but and and or, which do not look at all they are given. Those
// that make text of any length, or of a kind no prompt needs, are refused.
var functions = sync.OnceValue(func() map[string]function {
	return map[string]function{
		"printf": refused, "print": refused, "println": refused, "html": refused, "js": refused, "urlquery": refused, "call": refused,

		"not":   takes(1, 1, func(a []reflect.Value) (any, error) { return !truth(a[0]), nil }),
		"len":   takes(1, 1, length),
		"join":  takes(2, 2, join),
		"eq":    takes(2, -1, equalsAny),
		"ne":    takes(2, 2, func(a []reflect.Value) (any, error) { same, err := equal(a[0], a[1]); return !same, err }),
		"lt":    ordered(func(c int) bool { return c < 0 }),
		"le":    ordered(func(c int) bool { return c <= 0 }),
		"gt":    ordered(func(c int) bool { return c > 0 }),
		"ge":    ordered(func(c int) bool { return c >= 0 }),
		"index": index,
		"slice": slice,
	}
})

func refused([]reflect.Value) (reflect.Value, error) {
	return reflect.Value{}, errors.New("it is not available in a prompt")
}

// takes is a function of so many arguments; most of -1: any number.
func takes(least, most int, do func([]reflect.Value) (any, error)) function {
	return func(args []reflect.Value) (reflect.Value, error) {
		if len(args) < least || most >= 0 && len(args) > most {
			return reflect.Value{}, fmt.Errorf("it has %d arguments and takes %d", len(args), least)
		}
		v, err := do(args)
		return reflect.ValueOf(v), err
	}
}

// isA says of a value what it is, where a function cannot do with it.
func isA(v reflect.Value) string {
	if !v.IsValid() {
		return "nothing"
	}
	return "a " + v.Kind().String()
}

func length(a []reflect.Value) (any, error) {
	if k := a[0].Kind(); k != reflect.String && k != reflect.Slice {
		return nil, errors.New(isA(a[0]) + " has no length")
	}
	return a[0].Len(), nil
}

func join(a []reflect.Value) (any, error) {
	for i, want := range []reflect.Type{reflect.TypeFor[[]string](), reflect.TypeFor[string]()} {
		if !a[i].IsValid() || a[i].Type() != want {
			return nil, errors.New("it takes a list of texts and a separator")
		}
	}
	texts := make([]string, a[0].Len())
	for i := range texts {
		texts[i] = a[0].Index(i).String()
	}
	return strings.Join(texts, a[1].String()), nil
}

// place is an argument of index or slice, from 0 to limit.
func place(v reflect.Value, limit int) (int, error) {
	if v.Kind() != reflect.Int {
		return 0, errors.New("an index must be a number, not " + isA(v))
	}
	if n := v.Int(); n >= 0 && n <= int64(limit) {
		return int(n), nil
	}
	return 0, fmt.Errorf("out of range: %d", v.Int())
}

func index(a []reflect.Value) (v reflect.Value, err error) {
	if len(a) == 0 {
		return v, errors.New("it takes a list and an index")
	}
	v = a[0]
	for _, at := range a[1:] {
		if k := v.Kind(); k != reflect.String && k != reflect.Slice {
			return v, errors.New("cannot index " + isA(v))
		}
		i, err := place(at, v.Len()-1)
		if err != nil {
			return v, err
		}
		if v = v.Index(i); v.Kind() == reflect.Uint8 {
			v = reflect.ValueOf(int(v.Uint()))
		}
	}
	if !v.IsValid() {
		return v, errors.New("cannot index nothing")
	}
	return v, nil
}

func slice(a []reflect.Value) (v reflect.Value, err error) {
	if len(a) == 0 || len(a) > 4 || a[0].Kind() != reflect.String && a[0].Kind() != reflect.Slice || len(a) > 3 && a[0].Kind() == reflect.String {
		return v, errors.New("it takes a list or a text, and two indexes")
	}
	v = a[0]
	limit := v.Len()
	if v.Kind() == reflect.Slice {
		limit = v.Cap()
	}
	bounds := [3]int{0, v.Len(), limit}
	for i, at := range a[1:] {
		if bounds[i], err = place(at, limit); err != nil {
			return v, err
		}
	}
	if bounds[0] > bounds[1] || bounds[1] > bounds[2] {
		return v, fmt.Errorf("out of range: %v", bounds)
	}
	if len(a) == 4 {
		return v.Slice3(bounds[0], bounds[1], bounds[2]), nil
	}
	return v.Slice(bounds[0], bounds[1]), nil
}

// nothing says whether a value is none, or a list that is none.
func nothing(v reflect.Value) bool { return !v.IsValid() || v.Kind() == reflect.Slice && v.IsNil() }

func equal(a, b reflect.Value) (bool, error) {
	switch {
	case !a.IsValid() || !b.IsValid(), nothing(a) && b.Kind() == reflect.Slice, nothing(b) && a.Kind() == reflect.Slice:
		return nothing(a) == nothing(b), nil
	case a.Kind() != b.Kind() || !a.Comparable():
		return false, fmt.Errorf("%s and %s cannot be compared", isA(a), isA(b))
	}
	return a.Interface() == b.Interface(), nil
}

func equalsAny(a []reflect.Value) (any, error) {
	for _, b := range a[1:] {
		if same, err := equal(a[0], b); same || err != nil {
			return same, err
		}
	}
	return false, nil
}

// ordered compares two numbers or texts, and says whether the order of the first to the second holds.
func ordered(holds func(order int) bool) function {
	return takes(2, 2, func(a []reflect.Value) (any, error) {
		switch x, y := a[0], a[1]; {
		case x.Kind() != y.Kind():
		case x.Kind() == reflect.Int:
			return holds(cmp.Compare(x.Int(), y.Int())), nil
		case x.Kind() == reflect.Float64:
			return holds(cmp.Compare(x.Float(), y.Float())), nil
		case x.Kind() == reflect.String:
			return holds(cmp.Compare(x.String(), y.String())), nil
		}
		return nil, fmt.Errorf("%s and %s cannot be compared", isA(a[0]), isA(a[1]))
	})
}
