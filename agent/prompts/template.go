package prompts

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
)

// A prompt's template may come with a stranger's vault. It sees plain data only, has no function that makes text of
// unlimited length, and is bounded in its output and its steps.
const (
	maxPromptOutput = 256 << 10 // bytes a prompt may come to
	maxPromptSteps  = 2_000     // rounds of range, and templates called
)

var (
	errPromptSize  = fmt.Errorf("it comes to more than %d KB", maxPromptOutput>>10)
	errPromptSteps = fmt.Errorf("it loops more than %d times", maxPromptSteps)
	errPromptEmpty = errors.New("it is empty: write what the model should be told, or remove the file")
)

// step is the function that each round of a range and each template calls first.
const step = "step"

// functions are those that a prompt has beside text/template's own. Those of its own that make text of any length, or
// of a kind no prompt needs, are refused.
var functions = template.FuncMap{
	"join":   join,
	"printf": refused, "print": refused, "println": refused, "html": refused, "js": refused, "urlquery": refused, "call": refused,
}

func refused(...any) (string, error) { return "", errors.New("it is not available in a prompt") }

func join(texts []string, separator string) (string, error) {
	if len(texts)*len(separator) > maxPromptOutput {
		return "", errPromptSize
	}
	return strings.Join(texts, separator), nil
}

// render renders a prompt from its template.
func render(name, source string, v Vars) (string, error) {
	steps := 0
	counted := template.FuncMap{step: func() (string, error) {
		if steps++; steps > maxPromptSteps {
			return "", errPromptSteps
		}
		return "", nil
	}}
	t, err := template.New(name + suffix).Funcs(functions).Funcs(counted).Parse(source)
	if err != nil {
		return "", fault(err)
	}
	for _, part := range t.Templates() {
		countSteps(part.Root)
		begin(part.Root)
	}
	var b bounded
	if err := t.Execute(&b, v); err != nil {
		return "", fault(err)
	}
	text := strings.TrimSpace(b.String())
	if text == "" {
		return "", errPromptEmpty
	}
	return text, nil
}

// countSteps has each round of the ranges in a list begin with a step.
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
			begin(b.List)
		}
	}
}

// begin puts a step before a list.
func begin(list *parse.ListNode) {
	call := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: list.Pos, Args: []parse.Node{parse.NewIdentifier(step).SetPos(list.Pos)}}
	pipe := &parse.PipeNode{NodeType: parse.NodePipe, Pos: list.Pos, Cmds: []*parse.CommandNode{call}}
	list.Nodes = append([]parse.Node{&parse.ActionNode{NodeType: parse.NodeAction, Pos: list.Pos, Pipe: pipe}}, list.Nodes...)
}

// bounded is the text of a prompt.
type bounded struct{ strings.Builder }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxPromptOutput {
		return 0, errPromptSize
	}
	return b.Builder.Write(p)
}

// fault returns an error of text/template, which has the file and the line.
func fault(err error) error { return errors.New(strings.TrimPrefix(err.Error(), "template: ")) }
