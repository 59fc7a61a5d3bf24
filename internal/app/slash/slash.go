// Package slash reads the commands that a vault defines: Markdown files whose body is a message, which is sent when the
// file's name is typed after a slash. A file is either a valid command or an error that says what is wrong with it.
// What a person types after the name is inserted once and unchanged; it is never parsed as a template.
package slash

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"golang.org/x/text/unicode/norm"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
	"chatvault/vault/block"
)

const (
	maxName      = 40  // of a command or an argument, in characters
	maxDoes      = 200 // of a description, in characters
	maxArguments = 9
)

// Argument is one or more words after a command's name.
type Argument struct {
	Name     string
	Optional bool
}

// Command is a command that a vault defines.
type Command struct {
	Name string // as typed after the slash
	Does string // its description, or the first words of the body
	// Arguments are those that the front matter names, or else those that the body uses: word1 to wordN, or text. If
	// there are none, what is typed is added below the body.
	Arguments []Argument

	body string
}

// Parse reads a command from its file's name without the extension, and the file's content.
func Parse(name string, data []byte) (Command, error) {
	c := Command{Name: norm.NFC.String(strings.ToLower(name))} // file systems may decompose characters
	if !validName().MatchString(name) || utf8.RuneCountInString(name) > maxName {
		return c, fmt.Errorf("a command's name is a letter and then letters, digits, - and _, at most %d in all; give the file another name", maxName)
	}
	if !utf8.Valid(data) {
		return c, errors.New("it is not UTF-8 text")
	}
	start, end, at := block.FrontMatter(data)
	c.body = strings.TrimSpace(strings.ReplaceAll(string(data[at:]), "\r\n", "\n"))
	if at == end && strings.HasPrefix(c.body, "---\n") {
		return c, errors.New("its front matter has no end: a line with --- closes it")
	}
	var front struct {
		Description string   `yaml:"description"`
		Arguments   []string `yaml:"arguments"`
	}
	if head := data[start:end]; len(strings.TrimSpace(string(head))) > 0 {
		if err := yaml.Load(head, &front, yaml.WithKnownFields()); err != nil {
			return c, fmt.Errorf("its front matter is not right: %s; it may have description, and a list of arguments such as [topic, days?]", yamlFault(err))
		}
	}
	var err error
	if c.Arguments, err = arguments(front.Arguments); err != nil {
		return c, err
	}
	if c.body == "" {
		return c, errors.New("it has no text: write below the front matter what is to be sent")
	}
	if err := c.checkBody(); err != nil {
		return c, err
	}
	if c.Does = text.Excerpt(front.Description, maxDoes); c.Does == "" {
		c.Does = text.Excerpt(c.body, 72)
	}
	return c, nil
}

// validName matches a name: a letter of any language, and then letters, digits, - and _.
var validName = lazyregexp.New(`^\p{L}[\p{L}\p{M}\p{Nd}_-]*$`)

// arguments parses the arguments of the front matter: names, with a ? after optional ones.
func arguments(names []string) ([]Argument, error) {
	if len(names) > maxArguments {
		return nil, fmt.Errorf("it has %d arguments; %d are the most", len(names), maxArguments)
	}
	var list []Argument
	for _, name := range names {
		var a Argument
		a.Name, a.Optional = strings.CutSuffix(strings.TrimSpace(name), "?")
		switch {
		case !argumentName().MatchString(a.Name):
			return nil, fmt.Errorf("its argument %q is no name: letters, digits, - and _, and a ? after it where it may be missing", name)
		case len(list) > 0 && list[len(list)-1].Optional && !a.Optional:
			return nil, fmt.Errorf("its argument %s cannot be needed after %s, which may be missing", a.Name, list[len(list)-1].Name)
		case find(list, a.Name) >= 0:
			return nil, fmt.Errorf("its argument %s is there twice", a.Name)
		}
		list = append(list, a)
	}
	return list, nil
}

var argumentName = lazyregexp.New(`^[A-Za-z0-9_-]{1,40}$`)

func find(list []Argument, name string) int {
	return slices.IndexFunc(list, func(a Argument) bool { return strings.EqualFold(a.Name, name) })
}

// placeholder matches what stands for arguments in a body, and a backslash that makes it plain text: $ARGUMENTS is all
// that was typed, $1 to $9 are words, {{name}} is an argument.
var placeholder = lazyregexp.New(`\\(\$|\{\{)|\$ARGUMENTS\b|\$\d+|\{\{\s*[A-Za-z0-9_-]{1,40}\s*\}\}`)

const allWords = "$ARGUMENTS"

// word returns the index of the argument that a placeholder stands for, or -1 for other ones and plain text. known is
// false if there is no argument of the name.
func (c *Command) word(match string) (i int, known bool) {
	if name, ok := strings.CutPrefix(match, "{{"); ok {
		i = find(c.Arguments, strings.TrimSpace(strings.TrimSuffix(name, "}}")))
		return i, i >= 0
	}
	if len(match) == 2 && match[0] == '$' && match[1] >= '1' && match[1] <= '9' {
		return int(match[1] - '1'), true
	}
	return -1, true
}

// checkBody returns an error for a placeholder without an argument, and names the arguments that are not named.
func (c *Command) checkBody() error {
	last, whole, named := 0, false, len(c.Arguments)
	for _, match := range placeholder().FindAllString(c.body, -1) {
		i, known := c.word(match)
		if !known {
			return fmt.Errorf("it uses {{%s}}, which is none of its arguments; the front matter names them (arguments: [topic])", strings.TrimSpace(strings.Trim(match, "{}")))
		}
		last, whole = max(last, i+1), whole || match == allWords
	}
	switch {
	case named > 0 && last > named:
		return fmt.Errorf("it uses $%d and has %d arguments", last, named)
	case named > 0:
	case last > 1:
		for i := range last {
			c.Arguments = append(c.Arguments, Argument{Name: "word" + strconv.Itoa(i+1)})
		}
	case last == 1 || whole:
		c.Arguments = []Argument{{Name: "text"}}
	}
	return nil
}

// Usage returns what may follow the name: "TOPIC [DAYS]".
func (c *Command) Usage() string {
	return strings.Join(text.Of(c.Arguments, func(a Argument) string {
		if a.Optional {
			return "[" + strings.ToUpper(a.Name) + "]"
		}
		return strings.ToUpper(a.Name)
	}), " ")
}

// Least returns the number of required arguments.
func (c *Command) Least() int {
	if i := slices.IndexFunc(c.Arguments, func(a Argument) bool { return a.Optional }); i >= 0 {
		return i
	}
	return len(c.Arguments)
}

// Expand returns the message for the text typed after the name. Arguments are separated by spaces unless they are in
// quotation marks; the last one is all that remains. It returns an error if arguments are missing.
func (c *Command) Expand(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	return c.expand(divide(typed, len(c.Arguments)), typed)
}

// Takes returns the arguments that Fill takes: Arguments or, if there are none, an optional text.
func (c *Command) Takes() []Argument {
	if len(c.Arguments) == 0 {
		return []Argument{{Name: "text", Optional: true}}
	}
	return c.Arguments
}

// Fill is Expand for the values of the arguments that Takes returns. An empty value is a missing one.
func (c *Command) Fill(values []string) (string, error) {
	for len(values) > 0 && values[len(values)-1] == "" {
		values = values[:len(values)-1]
	}
	return c.expand(values, strings.Join(values, " "))
}

func (c *Command) expand(words []string, typed string) (string, error) {
	if least := c.Least(); len(words) < least || slices.Contains(words[:least], "") {
		missing := "words after it"
		if least > 1 {
			missing = strconv.Itoa(least) + " words after it"
		}
		return "", fmt.Errorf("/%s needs %s: /%s %s", c.Name, missing, c.Name, c.Usage())
	}
	out := placeholder().ReplaceAllStringFunc(c.body, func(match string) string {
		i, _ := c.word(match)
		switch {
		case match == allWords:
			return typed
		case i >= len(words):
			return ""
		case i >= 0:
			return words[i]
		}
		return strings.TrimPrefix(match, `\`)
	})
	if len(c.Arguments) == 0 && typed != "" {
		out += "\n\n" + typed
	}
	if out = strings.TrimSpace(out); out == "" {
		return "", fmt.Errorf("/%s comes to nothing without words after it: /%s %s", c.Name, c.Name, c.Usage())
	}
	return out, nil
}

// divide splits a text into at most n words. The last one is all that remains.
func divide(text string, n int) []string {
	var words []string
	for rest := strings.TrimLeft(text, " \t\n"); rest != ""; rest = strings.TrimLeft(rest, " \t\n") {
		word, after := firstWord(rest)
		if len(words)+1 == n && strings.TrimSpace(after) != "" {
			return append(words, strings.TrimSpace(rest))
		}
		words, rest = append(words, word), after
	}
	return words
}

// firstWord splits off the first word of a text, without the quotation marks around it.
func firstWord(text string) (word, rest string) {
	if q := text[0]; q == '"' || q == '\'' {
		if i := strings.IndexByte(text[1:], q); i >= 0 {
			after := text[1+i+1:]
			if after == "" || strings.ContainsRune(" \t\n", rune(after[0])) {
				return text[1 : 1+i], after
			}
		}
	}
	if i := strings.IndexAny(text, " \t\n"); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// yamlFault returns the first fault of front matter, with its line in the file.
func yamlFault(err error) string {
	var first *yaml.LoadError
	if !errors.As(err, &first) {
		return err.Error()
	}
	reason, _, _ := strings.Cut(first.Message, " in type ")
	return fmt.Sprintf("line %d: %s", first.Mark.Line+1, reason)
}
