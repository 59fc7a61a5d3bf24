package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/slash"
	"chatvault/internal/text"
)

// chatCommands are the commands of the chat, and what does the same without it.
var chatCommands = map[string]string{
	"help":          "Run: chatvault ask --help",
	"stop":          "Ctrl+C stops what ask works on.",
	"plan":          "Run: chatvault ask --plan \"…\"",
	"goal":          "Run: chatvault ask --goal \"…\", chatvault goal show or chatvault goal drop",
	"edit":          chatOnly,
	"branches":      chatOnly,
	"retry":         "Run: chatvault inbox retry",
	"inbox":         "Run: chatvault inbox list",
	"changes":       "Run: chatvault changes",
	"undo":          "Run: chatvault undo",
	"redo":          "Run: chatvault redo",
	"new":           "ask begins a new conversation by itself, unless -c is given.",
	"conversations": "Run: chatvault conversations list",
	"compact":       chatOnly,
	"retrospect":    chatOnly,
	"trust":         "Run: chatvault trust",
	"smarthole":     "Run: chatvault serve",
	"vault":         "Run: chatvault --vault DIR; chatvault vaults lists them",
	"cost":          "Run: chatvault cost; ask --json tells tokens and cost with each model call",
	"usage":         "Run: chatvault cost; ask --json tells tokens and cost with each model call",
	"export":        "Run: chatvault conversations export last",
	"settings":      "Run: chatvault config show",
	"model":         "Run: chatvault ask --model MODEL \"…\"",
	"theme":         chatOnly,
	"copy":          chatOnly,
	"quit":          "ask ends by itself.",
}

const chatOnly = "It works in the chat only: run chatvault"

// refuseSlash is the error of a prompt that is a command of the chat, or a mistyped one: it would
// cost a model call and do nothing. A space before the slash sends it all the same.
func refuseSlash(prompt string, own []string) error {
	name, words, isCommand := cutCommand(prompt)
	if !isCommand {
		return nil
	}
	does, known := chatCommands[name]
	switch {
	case words != "" && name != "plan" && name != "goal":
		return nil // a message that begins with a slash
	case known:
		return usageError("/%s is a command of the chat, not a message. %s%s", name, does, asMessage)
	}
	text := fmt.Sprintf("/%s looks like a command of the chat, and there is none of that name.", name)
	if near := nearCommand(name, own); near != "" {
		text = strings.TrimSpace(fmt.Sprintf("/%s is not a command of the chat; did you mean /%s? %s", name, near, chatCommands[near]))
	}
	return usageError("%s%s", text, asMessage)
}

const asMessage = "\nTo send it as a message, put a space before the slash."

// cutCommand takes the name off a text that begins as a command does: a slash and a word.
func cutCommand(text string) (name, words string, ok bool) {
	return slash.CutName(strings.TrimRight(text, " \n"))
}

// nearCommand is the command that a mistyped name most likely means; empty: none.
func nearCommand(name string, own []string) string {
	names := slices.Sorted(maps.Keys(chatCommands))
	for _, known := range own {
		names = append(names, strings.ToLower(known))
	}
	return text.Near(name, names)
}

// refuseNumber is the error of an answer that is the number of no option of the question that
// waits.
func (a *app) refuseNumber(prompt string) error {
	c, err := a.conversations.Active()
	if err != nil || c == nil {
		return nil //nolint:nilerr // sending the message tells
	}
	q := c.PendingQuestion()
	if q == nil || !event.NoOption(prompt, q.Options) {
		return nil
	}
	return usageError("%s is the number of no option. The question was: %s%s\nAnswer with the number of one, or in words.",
		strings.TrimSpace(prompt), q.Question, session.OptionLines(q.Options))
}
