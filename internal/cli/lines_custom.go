package cli

import (
	"context"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/session"
)

// customCommand sends what one of the vault's own commands comes to; false where there is none of
// that name.
func (l *lines) customCommand(ctx context.Context, name, words string) bool {
	if l.o.Custom == nil {
		return false
	}
	custom, err := l.o.Custom(ctx)
	if err != nil {
		l.print.say("Error: the vault's own commands could not be read: " + err.Error())
	}
	for _, c := range custom.Commands {
		if c.Name != name {
			continue
		}
		text, err := c.Expand(words)
		if err != nil {
			l.print.say(err.Error())
			return true
		}
		l.print.say("You send: " + text)
		l.send(ctx, event.Inbound{Text: text})
		return true
	}
	if f := faultOf(name, custom.Faults); f != "" {
		l.print.say(f)
		return true
	}
	return false
}

// customHelp lists the vault's own commands below the help, and what makes none.
func (l *lines) customHelp(ctx context.Context) string {
	if l.o.Custom == nil {
		return ""
	}
	custom, err := l.o.Custom(ctx)
	if err != nil {
		return "\nThe vault's own commands could not be read: " + err.Error()
	}
	return customLines(custom)
}

func customLines(custom session.Custom) string {
	var b strings.Builder
	if len(custom.Commands) > 0 {
		b.WriteString("\nCommands of this vault:")
	}
	for _, c := range custom.Commands {
		b.WriteString("\n" + strings.TrimSpace("/"+c.Name+" "+c.Args) + ": " + c.Does)
	}
	for _, f := range custom.Faults {
		b.WriteString("\n" + f)
	}
	return b.String()
}

// exportCommand is /export, with the name of a file or without one.
func (l *lines) exportCommand(ctx context.Context, file string) {
	path, err := l.o.Export(ctx, strings.Trim(file, `"'`))
	if err != nil {
		l.print.say("Not exported: " + err.Error())
		return
	}
	l.print.say("The conversation is in " + path + ".")
}
