package lines

import (
	"context"
	"strings"
	"sync"

	"chatvault/internal/routine"
	"chatvault/internal/session/provider"
)

// modelCommand takes another model, or says which there are, also of those who have to be asked.
func (l *lines) modelCommand(name string) {
	m := l.o.Models
	switch {
	case name == "":
		l.print.say("The model is " + l.state.Provider + ". Other known models:")
		for _, s := range m.Sources() {
			for _, c := range s.Choices {
				l.print.say(c.Name)
			}
		}
		l.listModels()
		return
	case l.turnRuns():
		return
	}
	if l.unlisted != name {
		if text := m.Unlisted(context.Background(), name); text != "" {
			l.unlisted = name
			l.print.say(text + " To use it anyway, type /model " + name + " again.")
			return
		}
	}
	l.unlisted = ""
	used, err := m.Use(name)
	if err != nil {
		l.tell("", err)
		return
	}
	l.state.Provider = used.Name
	l.print.say(strings.TrimSpace("Continuing with " + used.Name + ". " + used.Said))
}

// listModels asks, all at once, those who have models for them.
func (l *lines) listModels() {
	var sources []provider.ModelSource
	for _, s := range l.o.Models.Sources() {
		if s.Asks && !s.Lacks {
			sources = append(sources, s)
		}
	}
	lists, errs := make([][]provider.ModelChoice, len(sources)), make([]error, len(sources))
	var all sync.WaitGroup
	for i, s := range sources {
		routine.Join(&all, "list models", func() { lists[i], errs[i] = l.o.Models.List(context.Background(), s.ID) })
	}
	all.Wait()
	for i, s := range sources {
		if errs[i] != nil {
			l.print.say(s.Title + ": " + errs[i].Error())
			continue
		}
		for _, c := range lists[i] {
			l.print.say(strings.TrimSpace(c.Name + " " + c.About))
		}
	}
}
