package slash

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chatvault/internal/text"
)

// part is a piece of a body: text as it is, or what stands in for words.
type part struct {
	text string
	word int // 1 to 9: $N, or the number of {{name}}; 0: text
	all  bool
}

// parse cuts a body into its parts. A backslash before $ or {{ makes them text.
func (c *Command) parse(body string) error {
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			c.body = append(c.body, part{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(body); {
		rest := body[i:]
		switch {
		case strings.HasPrefix(rest, `\$`), strings.HasPrefix(rest, `\{{`):
			n := 2
			if rest[1] == '{' {
				n = 3
			}
			text.WriteString(rest[1:n])
			i += n
		case wholeWord(rest):
			flush()
			c.body, c.whole = append(c.body, part{all: true}), true
			i += len(allWords)
		case rest[0] == '$' && len(rest) > 1 && rest[1] >= '1' && rest[1] <= '9' && !digitAt(rest, 2):
			flush()
			n := int(rest[1] - '0')
			c.body, c.last = append(c.body, part{word: n}), max(c.last, n)
			i += 2
		case strings.HasPrefix(rest, "{{"):
			name, _, closed := strings.Cut(rest[2:], "}}")
			if !closed || !isWord(strings.TrimSpace(name)) {
				text.WriteString("{{")
				i += 2
				continue
			}
			n := c.argument(strings.TrimSpace(name))
			if n == 0 {
				return fmt.Errorf("it uses {{%s}}, which is none of its arguments%s", strings.TrimSpace(name), c.names())
			}
			flush()
			c.body = append(c.body, part{word: n})
			i += 2 + len(name) + 2
		default:
			text.WriteByte(rest[0])
			i++
		}
	}
	flush()
	if n := len(c.Arguments); n > 0 && c.last > n {
		return fmt.Errorf("it uses $%d and has %d arguments", c.last, n)
	}
	return nil
}

const allWords = "$ARGUMENTS"

// wholeWord says whether $ARGUMENTS stands at the beginning, and no longer name.
func wholeWord(s string) bool {
	rest, ok := strings.CutPrefix(s, allWords)
	return ok && (rest == "" || !isWord(rest[:1]) || rest[0] == '-')
}

func digitAt(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }

// argument is the number of a named argument, from 1; 0: there is none.
func (c *Command) argument(name string) int {
	return 1 + slices.IndexFunc(c.Arguments, func(a Argument) bool { return strings.EqualFold(a.Name, name) })
}

func (c *Command) names() string {
	if len(c.Arguments) == 0 {
		return `: its front matter names none (arguments: [topic])`
	}
	return " (" + strings.Join(text.Of(c.Arguments, func(a Argument) string { return a.Name }), ", ") + ")"
}

// Usage is what may follow the name: "TOPIC [DAYS]"; what is in brackets may be missing.
func (c *Command) Usage() string {
	var out []string
	for _, a := range c.Arguments {
		name := strings.ToUpper(a.Name)
		if a.Optional {
			name = "[" + name + "]"
		}
		out = append(out, name)
	}
	switch {
	case len(out) > 0:
	case c.last > 1:
		for i := range c.last {
			out = append(out, "WORD"+strconv.Itoa(i+1))
		}
	case c.whole || c.last == 1:
		out = []string{"TEXT"}
	}
	return strings.Join(out, " ")
}

// Least is how many words the command cannot do without.
func (c *Command) Least() int {
	if len(c.Arguments) > 0 {
		n := 0
		for _, a := range c.Arguments {
			if !a.Optional {
				n++
			}
		}
		return n
	}
	if c.whole {
		return max(c.last, 1)
	}
	return c.last
}

// Expand makes the message of what was typed after the name. Words are parted by spaces, those in
// quotation marks belong together; the last one a body asks for takes all that is left. Where the
// body asks for none, what was typed comes below it. The error says which words are missing.
func (c *Command) Expand(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	slots := max(len(c.Arguments), c.last)
	return c.fill(divide(typed, slots), slots, typed)
}

// Takes are the arguments that Fill takes: those with a name, else the words by their numbers, else one,
// "text", for all that may follow the name.
func (c *Command) Takes() []Argument {
	switch {
	case len(c.Arguments) > 0:
		return c.Arguments
	case c.last == 1 || c.last == 0:
		return []Argument{{Name: "text", Optional: c.Least() == 0}}
	}
	out := make([]Argument, c.last)
	for i := range out {
		out[i].Name = "word" + strconv.Itoa(i+1)
	}
	return out
}

// Fill is Expand with what Takes says, each as it is; "" stands for one that is missing.
func (c *Command) Fill(values []string) (string, error) {
	for len(values) > 0 && values[len(values)-1] == "" {
		values = values[:len(values)-1]
	}
	return c.fill(values, max(len(c.Arguments), c.last), strings.Join(values, " "))
}

func (c *Command) fill(words []string, slots int, typed string) (string, error) {
	least := c.Least()
	if (len(words) < least || slices.Contains(words[:min(least, len(words))], "")) && (slots > 0 || typed == "") {
		return "", fmt.Errorf("/%s needs %s: /%s %s", c.Name, missing(least), c.Name, c.Usage())
	}
	var b strings.Builder
	for _, p := range c.body {
		switch {
		case p.all:
			b.WriteString(typed)
		case p.word > 0 && p.word <= len(words):
			b.WriteString(words[p.word-1])
		case p.word == 0:
			b.WriteString(p.text)
		}
	}
	if slots == 0 && !c.whole && typed != "" {
		b.WriteString("\n\n" + typed)
	}
	if text := strings.TrimSpace(b.String()); text != "" {
		return text, nil
	}
	return "", fmt.Errorf("/%s comes to nothing without words after it: /%s %s", c.Name, c.Name, c.Usage())
}

func missing(n int) string {
	if n == 1 {
		return "words after it"
	}
	return strconv.Itoa(n) + " words after it"
}

// divide parts a text into at most n words; the last takes all that is left, as it is.
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

// firstWord takes the first word off a text, without the quotation marks around it.
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
