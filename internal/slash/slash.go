// Package slash reads the commands of a vault's own: Markdown files whose body is a message that
// the person sends when they type the file's name after a slash. It promises that a file either is
// a command, wholly understood, or an error that says what is wrong with it; that what a person
// writes after the name is put in as it is, once, and read as a template never; and that nothing
// is ever sent by it. It knows no vault, no screen and no model.
package slash

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/text"

	"go.yaml.in/yaml/v4"
	"golang.org/x/text/unicode/norm"
)

// MaxFile bounds the file of a command, in bytes.
const MaxFile = 64 << 10

// Bounds of what front matter says, in characters.
const (
	maxName  = 40
	maxDoes  = 200
	maxWords = 9 // arguments
)

// Argument is a named word, or words, after a command's name.
type Argument struct {
	Name     string
	Optional bool // written with a ? after the name
}

// Command is one of the vault's own commands.
type Command struct {
	Name      string // as it is typed after the slash
	Does      string // the description, else the first words of the body
	Arguments []Argument

	body  []part
	last  int  // the highest $N of the body
	whole bool // the body has $ARGUMENTS
}

// matter is the front matter of a command.
type matter struct {
	Description string `yaml:"description"`
	Arguments   any    `yaml:"arguments"`
}

// Parse reads a command from its file's name, without the extension, and what is in the file.
func Parse(name string, data []byte) (Command, error) {
	c := Command{Name: asTyped(name)}
	if err := checkName(name); err != nil {
		return c, err
	}
	if len(data) > MaxFile {
		return c, fmt.Errorf("it is longer than %d KB", MaxFile>>10)
	}
	if !utf8.Valid(data) {
		return c, errors.New("it is not UTF-8 text")
	}
	file := strings.TrimPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\ufeff")
	head, body, err := split(file)
	if err != nil {
		return c, err
	}
	var m matter
	if err := yaml.Load([]byte(head), &m, yaml.WithKnownFields()); err != nil && strings.TrimSpace(head) != "" {
		return c, fmt.Errorf("its front matter is not right: %s; it may have description and arguments", yamlFault(err))
	}
	if c.Arguments, err = arguments(m.Arguments); err != nil {
		return c, err
	}
	body = strings.TrimSpace(body)
	if body == "" {
		return c, errors.New("it has no text: write below the front matter what is to be sent")
	}
	if err := c.parse(body); err != nil {
		return c, err
	}
	if c.Does = text.Excerpt(m.Description, maxDoes); c.Does == "" {
		c.Does = text.Excerpt(body, 72)
	}
	return c, nil
}

// checkName says why a name cannot be typed as a command.
func checkName(name string) error {
	first, _ := utf8.DecodeRuneInString(name)
	ok := unicode.IsLetter(first) && utf8.RuneCountInString(name) <= maxName && !strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) })
	if !ok {
		return fmt.Errorf("a command's name is a letter and then letters, digits, - and _, at most %d in all; call the file, for example, %s.md", maxName, suggested(name))
	}
	return nil
}

// nameRune says whether a command's name may hold a character: letters are those of any language.
func nameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '-' || r == '_'
}

// asTyped is a name as keyboards write it: file systems may keep its marks apart from its letters.
func asTyped(name string) string { return norm.NFC.String(strings.ToLower(name)) }

// suggested makes a name that would do of one that does not.
func suggested(name string) string {
	name = strings.Map(func(r rune) rune {
		if nameRune(r) {
			return r
		}
		return '-'
	}, asTyped(name))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	if name = strings.Trim(name, "-_"); name == "" {
		return "my-command"
	}
	if first, _ := utf8.DecodeRuneInString(name); !unicode.IsLetter(first) {
		name = "my-" + name
	}
	runes := []rune(name)
	return string(runes[:min(len(runes), maxName)])
}

// split takes the front matter off.
func split(text string) (head, body string, err error) {
	rest, has := strings.CutPrefix(text, "---\n")
	if !has {
		return "", text, nil
	}
	for at := 0; at <= len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		if trimmed := strings.TrimRight(line, " \t"); trimmed == "---" || trimmed == "..." {
			return rest[:at], rest[min(at+len(line)+1, len(rest)):], nil
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	return "", "", errors.New("its front matter has no end: a line with --- closes it")
}

// arguments reads the names of arguments: a list, or one text of them.
func arguments(raw any) ([]Argument, error) {
	var names []string
	switch v := raw.(type) {
	case nil:
	case string:
		names = strings.FieldsFunc(v, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' })
	case []any:
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("its arguments must be names, and %v is none", item)
			}
			names = append(names, s)
		}
	default:
		return nil, errors.New("its arguments must be a list of names, such as [topic, days?]")
	}
	if len(names) > maxWords {
		return nil, fmt.Errorf("it has %d arguments; %d are the most", len(names), maxWords)
	}
	var list []Argument
	for _, name := range names {
		a := Argument{}
		a.Name, a.Optional = strings.CutSuffix(strings.TrimSpace(name), "?")
		switch {
		case !isWord(a.Name):
			return nil, fmt.Errorf("its argument %q is no name: letters, digits, - and _, and a ? after it where it may be missing", name)
		case len(list) > 0 && list[len(list)-1].Optional && !a.Optional:
			return nil, fmt.Errorf("its argument %s cannot be needed after %s, which may be missing", a.Name, list[len(list)-1].Name)
		}
		for _, other := range list {
			if strings.EqualFold(other.Name, a.Name) {
				return nil, fmt.Errorf("its argument %s is there twice", a.Name)
			}
		}
		list = append(list, a)
	}
	return list, nil
}

func isWord(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// yamlFault is what is wrong first, with the line of the file.
func yamlFault(err error) string {
	var first *yaml.LoadError
	if !errors.As(err, &first) {
		return err.Error()
	}
	reason, name := first.Message, ""
	if n, _ := fmt.Sscanf(reason, "field %s not found", &name); n == 1 {
		reason = fmt.Sprintf("unknown field %q", name)
	}
	return fmt.Sprintf("line %d: %s", first.Mark.Line+1, reason)
}
