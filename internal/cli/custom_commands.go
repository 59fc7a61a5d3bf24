package cli

import (
	"fmt"
	"os"
	"slices"

	"chatvault/internal/session"
	"chatvault/internal/session/home"
	"chatvault/internal/trust"
)

// expandSlash makes the message of a prompt that is one of the vault's own commands; one that is no
// command stays as it is. What is a command of the chat, or meant for one, would cost a model call and
// do nothing: it is an error.
func expandSlash(s Streams, g *globals, table []session.Command, prompt string) (string, error) {
	name, _, isCommand := session.CutCommand(prompt)
	if !isCommand {
		return prompt, nil
	}
	if slices.Contains(session.CommandNames(table), name) {
		return "", usageError("%s", session.InAsk(prompt, table, nil))
	}
	own, err := ownOf(s, g)
	if err != nil {
		return "", err
	}
	switch t := session.ParseTyped(prompt, own.Commands); {
	case t.Command != nil:
		r := t.Command.Do(session.Call{Words: t.Words})
		if r.Err != nil {
			return "", usageError("%v", r.Err)
		}
		return r.Send.Text, nil
	case slices.Contains(session.CommandNames(own.Commands), name):
		return "", usageError("%s", t.Hint)
	case own.FaultOf(name) != "":
		return "", usageError("%s", own.FaultOf(name))
	}
	return "", usageError("%s", session.InAsk(prompt, table, own.Commands))
}

// ownOf reads the vault's own commands where no vault is open.
func ownOf(s Streams, g *globals) (session.Custom, error) {
	none := session.Custom{FaultOf: func(string) string { return "" }}
	_, dir, err := loadConfig(s, g)
	if err != nil {
		return none, err
	}
	own, err := os.OpenRoot(dir)
	if err != nil {
		return none, nil
	}
	defer func() { _ = own.Close() }()
	answers, done, err := home.AnswersFor(dir)
	defer done()
	if err != nil {
		fmt.Fprintln(s.Err, "Warning: "+err.Error())
	}
	custom, err := session.CustomOf(own, answers.Agreed)
	if err != nil {
		return none, failure("%s cannot be read: %v", trust.Commands, session.WithoutPath(err))
	}
	return custom, nil
}
