package cli

import (
	"context"
	"strings"
)

// modelCommand takes another model, or says which are known without asking anybody.
func (l *lines) modelCommand(name string) {
	m := l.o.Models
	switch {
	case m.Use == nil || m.Sources == nil:
		l.print.say("The model is chosen by the configuration here.")
		return
	case name == "":
		l.print.say("The model is " + l.o.Provider + ". Others that are known:")
		for _, s := range m.Sources() {
			for _, c := range s.Choices {
				l.print.say(c.Name)
			}
		}
		return
	case !l.idle():
		l.print.say("A turn is running: /stop stops it.")
		return
	}
	if m.Unlisted != nil && l.unlisted != name {
		if text := m.Unlisted(context.Background(), name); text != "" {
			l.unlisted = name
			l.print.say(text + " To take it all the same, say /model " + name + " again.")
			return
		}
	}
	l.unlisted = ""
	used, err := m.Use(name)
	if err != nil {
		l.tell("", err)
		return
	}
	l.o.Provider = used.Name
	l.print.say(strings.TrimSpace("Going on with " + used.Name + ". " + used.Said))
}
