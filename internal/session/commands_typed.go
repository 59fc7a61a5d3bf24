package session

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/text"
)

// Typed is what a typed text is: a message, unless it is a command or what was meant for one.
type Typed struct {
	Command *Command // to run
	Words   string   // after it
	// Hint says why it is neither a command nor a message.
	Hint string
}

// asMessage is how a text that begins with a slash is sent.
const asMessage = "To send it as a message, put a space before it."

// CutCommand takes the name off a text that begins as a command does: a slash, and one word without
// another. A path is no name of a command, and a text that begins with one is a message.
func CutCommand(typed string) (name, words string, ok bool) {
	typed, ok = strings.CutPrefix(strings.TrimRight(typed, " \n"), "/")
	if !ok {
		return "", "", false
	}
	name = typed
	if i := strings.IndexAny(typed, " \t\n"); i >= 0 {
		name, words = typed[:i], strings.TrimSpace(typed[i:])
	}
	if strings.Contains(name, "/") {
		return "", "", false
	}
	return norm.NFC.String(strings.ToLower(name)), words, true // file systems may keep marks apart from letters
}

// ParseTyped says what a text is, where there are these commands. One that begins with a slash is a
// command, known or mistyped; a space before the slash sends it as it is.
func ParseTyped(typed string, commands []Command) Typed {
	name, words, ok := CutCommand(typed)
	if !ok {
		return Typed{}
	}
	for i := range commands {
		c := &commands[i]
		switch {
		case !c.Named(name):
			continue
		case words != "" && !c.takesWords():
			return Typed{Hint: "/" + c.Name + " takes no words after it. " + asMessage}
		case words == "" && c.Needs:
			return Typed{Hint: strings.TrimSpace("/"+c.Name+" needs words after it: /"+c.Name+" "+c.Args) + "."}
		}
		return Typed{Command: c, Words: words}
	}
	return Typed{Hint: UnknownCommand(name, commands)}
}

// UnknownCommand says that there is no command of a name, and which was most likely meant.
func UnknownCommand(name string, commands []Command) string {
	if near := nearestCommand(name, commands); near != "" {
		return "There is no command /" + name + ". Did you mean /" + near + "? " + asMessage
	}
	return "There is no command /" + name + "; /help lists them. " + asMessage
}

// nearestCommand gives the command that a mistyped name most likely means, or "".
func nearestCommand(name string, commands []Command) string {
	return text.Near(name, CommandNames(commands))
}

// CommandHelp lists commands, a line each: "/goal drop: drop the goal".
func CommandHelp(commands []Command) []string {
	var out []string
	for i := range commands {
		c := &commands[i]
		for _, f := range c.Forms() {
			out = append(out, c.Usage(f)+": "+f.Does)
		}
	}
	return out
}

// InAsk says, of a text that is a command or was meant for one, what to do instead where only one
// request is made; empty: it is a message. names are those of the vault's own commands.
func InAsk(typed string, table []Command, own []Command) string {
	name, _, ok := CutCommand(typed)
	if !ok {
		return ""
	}
	all := append(append([]Command{}, table...), own...)
	for i := range table {
		if c := &table[i]; c.Named(name) {
			return "/" + name + " is a command of the chat, not a message. " + c.Ask + "\n" + asMessage
		}
	}
	hint := UnknownCommand(name, all)
	near := nearestCommand(name, all)
	for i := range table {
		if c := &table[i]; near != "" && c.Named(near) {
			hint = strings.TrimSuffix(hint, asMessage) + c.Ask + "\n" + asMessage
		}
	}
	return hint
}
