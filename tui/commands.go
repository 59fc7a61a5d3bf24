package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/dialog"
)

// command is something the screen does when it is typed after a slash. No
// command calls the model.
type command struct {
	name, does string
	run        func(*Model) tea.Cmd
}

// commandsFor lists the commands; those whose means Options does not give are left out.
func commandsFor(o Options) []command {
	all := []command{
		{"help", "keys and commands", (*Model).openHelp},
		{"stop", "stop the running turn", (*Model).stopTurn},
	}
	decide := o.Unfinished != nil && o.Retry != nil && o.Drop != nil
	if decide {
		all = append(all, command{"retry", "try the message again that failed last", (*Model).retryLast})
	}
	if o.NewConversation != nil {
		all = append(all, command{"new", "begin a new conversation", (*Model).newConversation})
	}
	if decide {
		all = append(all, command{"inbox", "messages that were not finished", (*Model).openInbox})
	}
	return append(all, command{"quit", "leave chatvault", (*Model).leave})
}

// parsed is what a typed text is.
type parsed struct {
	command *command // to run
	hint    string   // why it is neither a command nor a message
}

// parseCommand says what text is. A text that begins with a slash is a command,
// known or mistyped; a space before the slash sends it as it is.
func parseCommand(text string, commands []command) parsed {
	if !strings.HasPrefix(text, "/") {
		return parsed{}
	}
	line := strings.TrimRight(text, " \n")
	name, args, _ := strings.Cut(line[1:], " ")
	for i := range commands {
		if strings.EqualFold(name, commands[i].name) {
			if strings.TrimSpace(args) != "" {
				return parsed{hint: "/" + commands[i].name + " takes no words after it. To send this as a message, put a space before it."}
			}
			return parsed{command: &commands[i]}
		}
	}
	if args != "" || strings.ContainsAny(name, "/\n.") || name == "" {
		return parsed{hint: "This begins with / as a command does. To send it as a message, put a space before it; /help lists the commands."}
	}
	hint := "There is no command /" + name + "; /help lists them."
	if near := nearest(name, commands); near != "" {
		hint = "Did you mean /" + near + "? " + hint
	}
	return parsed{hint: hint}
}

// nearest gives the command a mistyped name most likely means, or "".
func nearest(name string, commands []command) string {
	name = strings.ToLower(name)
	best, least := "", 3
	for _, c := range commands {
		if len(name) > 1 && strings.HasPrefix(c.name, name) {
			return c.name
		}
		if d := distance(name, c.name); d < least && d < len(c.name) {
			best, least = c.name, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with the
// next to make b of a (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 {
		return len(x)
	}
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}

func (m *Model) openHelp() tea.Cmd {
	m.dialogs.Push(dialog.NewHelp(m.styles, m.help()))
	return nil
}
