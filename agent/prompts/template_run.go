package prompts

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// rendering runs a template as text/template does, over plain data. It is our own because text/template
// looks methods up by their names, for which the linker has to keep every method of every type: an
// eighth of the program.
type rendering struct {
	parts map[string]*parse.Tree
	vars  []variable // of the template that runs
	text  strings.Builder
	steps int
}

type variable struct {
	name  string
	value reflect.Value
}

// What ends a round of a range early.
var (
	errBreak    = errors.New("break")
	errContinue = errors.New("continue")
)

// step counts a round of a range, or a template that is called.
func (r *rendering) step(at parse.Node) error {
	if r.steps++; r.steps > maxPromptSteps {
		return faultAt(at, errPromptSteps)
	}
	return nil
}

func (r *rendering) write(text string) error {
	if r.text.Len()+len(text) > maxPromptOutput {
		return errPromptSize
	}
	r.text.WriteString(text)
	return nil
}

// template runs a template, which sees no variables but its own.
func (r *rendering) template(t *parse.Tree, dot reflect.Value) error {
	if err := r.step(t.Root); err != nil {
		return err
	}
	outer := r.vars
	r.vars = []variable{{"$", dot}}
	err := r.walk(dot, t.Root)
	r.vars = outer
	return err
}

// walk runs a list of nodes.
func (r *rendering) walk(dot reflect.Value, list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	for _, n := range list.Nodes {
		if err := r.node(dot, n); err != nil {
			return err
		}
	}
	return nil
}

func (r *rendering) node(dot reflect.Value, n parse.Node) error {
	switch n := n.(type) {
	case *parse.TextNode:
		return r.write(string(n.Text))
	case *parse.ActionNode:
		v, err := r.pipe(dot, n.Pipe)
		if err != nil || len(n.Pipe.Decl) > 0 {
			return err
		}
		return r.write(shown(v))
	case *parse.IfNode:
		return r.branch(dot, &n.BranchNode)
	case *parse.WithNode:
		return r.branch(dot, &n.BranchNode)
	case *parse.RangeNode:
		return r.ranges(dot, n)
	case *parse.TemplateNode:
		t := r.parts[n.Name]
		if t == nil {
			return faultAt(n, fmt.Errorf("template %q not defined", n.Name))
		}
		v, err := r.pipe(dot, n.Pipe)
		if err != nil {
			return err
		}
		return r.template(t, v)
	case *parse.BreakNode:
		return errBreak
	case *parse.ContinueNode:
		return errContinue
	}
	return nil // a comment
}

// shown is a value as text.
func shown(v reflect.Value) string {
	if !v.IsValid() {
		return "<no value>"
	}
	return fmt.Sprint(v.Interface())
}

// branch runs an if or a with. Variables that it makes end with it.
func (r *rendering) branch(dot reflect.Value, n *parse.BranchNode) error {
	defer r.leave(len(r.vars))
	v, err := r.pipe(dot, n.Pipe)
	switch {
	case err != nil:
		return err
	case !truth(v):
		return r.walk(dot, n.ElseList)
	case n.NodeType == parse.NodeWith:
		return r.walk(v, n.List)
	}
	return r.walk(dot, n.List)
}

// leave forgets variables that were made since there were n.
func (r *rendering) leave(n int) { r.vars = r.vars[:n] }

func truth(v reflect.Value) bool {
	if !v.IsValid() {
		return false
	}
	is, _ := template.IsTrue(v.Interface())
	return is
}

// ranges runs a range over a list or a number.
func (r *rendering) ranges(dot reflect.Value, n *parse.RangeNode) error {
	defer r.leave(len(r.vars))
	over, err := r.pipe(dot, n.Pipe)
	if err != nil {
		return err
	}
	rounds, item := 0, func(i int) reflect.Value { return reflect.ValueOf(i) }
	switch over.Kind() {
	case reflect.Slice:
		rounds, item = over.Len(), over.Index
	case reflect.Int:
		if len(n.Pipe.Decl) > 1 {
			return faultAt(n, fmt.Errorf("can't use %v to iterate over more than one variable", over))
		}
		rounds = int(over.Int())
	case reflect.Invalid:
	default:
		return faultAt(n, fmt.Errorf("<%s>: range can't iterate over %s", n.Pipe, shown(over)))
	}
	if rounds <= 0 {
		return r.walk(dot, n.ElseList)
	}
	inner := len(r.vars)
	for i := range rounds {
		if err := r.step(n); err != nil {
			return err
		}
		values := []reflect.Value{reflect.ValueOf(i), item(i)} // the index, where there are two, and the item
		for k, v := range n.Pipe.Decl {
			r.set(v.Ident[0], values[len(values)-len(n.Pipe.Decl)+k])
		}
		err := r.walk(item(i), n.List)
		r.leave(inner)
		if errors.Is(err, errBreak) {
			return nil
		}
		if err != nil && !errors.Is(err, errContinue) {
			return err
		}
	}
	return nil
}

// set gives the newest variable of a name a value.
func (r *rendering) set(name string, v reflect.Value) {
	for i, known := range slices.Backward(r.vars) {
		if known.name == name {
			r.vars[i].value = v
			return
		}
	}
}

// pipe is the value of commands each of which is the last argument of the next.
func (r *rendering) pipe(dot reflect.Value, p *parse.PipeNode) (v reflect.Value, err error) {
	if p == nil {
		return v, nil
	}
	var last []reflect.Value
	for _, c := range p.Cmds {
		if v, err = r.command(dot, c, last); err != nil {
			return v, err
		}
		last = []reflect.Value{v}
	}
	for _, d := range p.Decl {
		if p.IsAssign {
			r.set(d.Ident[0], v)
		} else {
			r.vars = append(r.vars, variable{d.Ident[0], v})
		}
	}
	return v, nil
}

// command is a call of a function, or a value by itself.
func (r *rendering) command(dot reflect.Value, c *parse.CommandNode, last []reflect.Value) (reflect.Value, error) {
	first := c.Args[0]
	if id, ok := first.(*parse.IdentifierNode); ok {
		return r.call(dot, id, c.Args[1:], last)
	}
	if len(c.Args)+len(last) > 1 {
		return reflect.Value{}, faultAt(c, fmt.Errorf("<%s>: can't give argument to non-function %s", c, first))
	}
	if _, ok := first.(*parse.NilNode); ok {
		return reflect.Value{}, faultAt(c, errors.New("nil is not a command"))
	}
	return r.operand(dot, first)
}

// operand is what stands where a value may.
func (r *rendering) operand(dot reflect.Value, n parse.Node) (v reflect.Value, err error) {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.FieldNode:
		return fields(dot, n, n.Ident)
	case *parse.VariableNode:
		for _, known := range slices.Backward(r.vars) {
			if known.name == n.Ident[0] {
				return fields(known.value, n, n.Ident[1:])
			}
		}
		return v, faultAt(n, fmt.Errorf("undefined variable: %s", n.Ident[0]))
	case *parse.ChainNode:
		if v, err = r.operand(dot, n.Node); err != nil {
			return v, err
		}
		return fields(v, n, n.Field)
	case *parse.PipeNode:
		return r.pipe(dot, n)
	case *parse.IdentifierNode:
		return r.call(dot, n, nil, nil)
	case *parse.BoolNode:
		return reflect.ValueOf(n.True), nil
	case *parse.StringNode:
		return reflect.ValueOf(n.Text), nil
	case *parse.NumberNode:
		return number(n)
	}
	return v, nil // nil
}

// number is a constant: of several types that it could have, the one that Go would give it.
func number(n *parse.NumberNode) (reflect.Value, error) {
	hex := len(n.Text) > 2 && n.Text[0] == '0' && (n.Text[1] == 'x' || n.Text[1] == 'X')
	switch {
	case n.IsComplex:
		return reflect.ValueOf(n.Complex128), nil
	case n.IsFloat && (!hex || strings.ContainsAny(n.Text, "pP")) && n.Text[0] != '\'' && strings.ContainsAny(n.Text, ".eEpP"):
		return reflect.ValueOf(n.Float64), nil
	case n.IsInt && int64(int(n.Int64)) == n.Int64:
		return reflect.ValueOf(int(n.Int64)), nil
	}
	return reflect.Value{}, faultAt(n, fmt.Errorf("%s overflows int", n.Text))
}

// fields goes from a value to a field of it, and on to a field of that.
func fields(v reflect.Value, at parse.Node, names []string) (reflect.Value, error) {
	for _, name := range names {
		if !v.IsValid() {
			return v, nil
		}
		known := variableNames(v.Type())
		if !slices.Contains(known, "."+name) {
			text := "there is no variable ." + name
			if len(known) > 0 {
				text += " here; there are " + strings.Join(known, ", ")
			}
			return v, faultAt(at, errors.New(text))
		}
		v = v.FieldByName(name)
	}
	return v, nil
}

// call calls a function; last is the value before it in a pipe.
func (r *rendering) call(dot reflect.Value, id *parse.IdentifierNode, nodes []parse.Node, last []reflect.Value) (v reflect.Value, err error) {
	values := make([]reflect.Value, 0, len(nodes)+1)
	for i, n := range nodes {
		if v, err = r.operand(dot, n); err != nil {
			return v, err
		}
		if whole := id.Ident == "and" || id.Ident == "or"; whole && truth(v) == (id.Ident == "or") {
			return v, nil // what comes after is not even looked at
		} else if whole && i < len(nodes)-1 {
			continue
		}
		values = append(values, v)
	}
	values = append(values, last...)
	if id.Ident == "and" || id.Ident == "or" {
		if len(values) == 0 {
			return v, faultAt(id, fmt.Errorf("%s: it needs an argument", id.Ident))
		}
		return values[len(values)-1], nil
	}
	if v, err = functions()[id.Ident](values); err != nil {
		return v, faultAt(id, fmt.Errorf("%s: %w", id.Ident, err))
	}
	return v, nil
}
