package printed

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"chatvault/internal/app/consent"
	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// maxListed is the maximum number of printed items of a list.
const maxListed = 20

// listed returns the view of one of the session's lists: without an argument it prints the list; a number selects an
// item, and a verb before it an action.
func listed(of func(ctx context.Context, v *Views) (*session.List, error)) view {
	return func(v *Views, ctx context.Context, words string) {
		list, err := of(ctx, v)
		if err != nil {
			v.Tell("", err)
			return
		}
		verb, rest, _ := strings.Cut(words, " ")
		if _, err := strconv.Atoi(verb); err == nil {
			verb, rest = list.Main, words
		}
		switch {
		case len(list.Items) == 0:
			v.say(list.None + ".")
		case words == "":
			v.readOut(list)
		case verb == "find" && list.Search != nil:
			v.findIn(ctx, list, strings.TrimSpace(rest))
		default:
			number, value, _ := strings.Cut(strings.TrimSpace(rest), " ")
			command := "/" + list.Name
			if verb != list.Main {
				command += " " + verb
			}
			if n, ok := v.which(command, number, len(list.Items)); ok {
				v.act(ctx, list, n, verb, command+" "+number, strings.TrimSpace(value))
			}
		}
	}
}

func (v *Views) readOut(list *session.List) {
	for i, it := range list.Items[:min(len(list.Items), maxListed)] {
		v.say(fmt.Sprintf("%d. %s", i+1, it.Line()))
	}
	if n := len(list.Items) - maxListed; n > 0 {
		v.say(fmt.Sprintf("And %d more; chatvault %s lists all.", n, list.Name))
	}
}

// findIn prints the items that contain words, with their numbers.
func (v *Views) findIn(ctx context.Context, list *session.List, words string) {
	if words == "" {
		v.say("Say what to look for: /" + list.Name + " find WORDS")
		return
	}
	hits, err := list.Search(ctx, words)
	if err == nil && len(hits) == 0 {
		v.say("Nothing holds all of these words.")
	}
	for _, h := range hits {
		i := slices.IndexFunc(list.Items, func(it session.Item) bool { return it.ID == h.ID })
		if i < 0 {
			continue // it was created since
		}
		v.say(fmt.Sprintf("%d. %s", i+1, h.Line()))
	}
	v.Tell("", err)
}

// act runs the action of a verb on an item. One that needs consent must be typed twice.
func (v *Views) act(ctx context.Context, list *session.List, n int, verb, typed, value string) {
	it := list.Items[n]
	got, err := it.Read(ctx)
	if err != nil {
		v.Tell("", err)
		return
	}
	if verb == "read" {
		v.readItem(got)
		for _, a := range got.Actions {
			if a.Effect == session.EffectUndo && a.Not == "" {
				v.say(fmt.Sprintf("/%s %s %d reverts it.", list.Name, a.Verb, n+1))
			}
		}
		return
	}
	i := slices.IndexFunc(got.Actions, func(a session.Action) bool { return a.Verb == verb && !a.Screen })
	if i < 0 {
		v.say("There is no “" + verb + "” here; /help lists what can be done.")
		return
	}
	a := got.Actions[i]
	switch {
	case a.Not != "":
		v.say(a.Not + ".")
		return
	case a.Effect != session.EffectNone && v.TurnRuns():
		return
	case a.Asks != nil && value == "":
		v.say("Type it too: " + typed + " " + a.Asks.Word)
		return
	case a.Consent != nil && !v.consents(a, verb+it.ID, typed, verb+" it"):
		return
	}
	done, err := a.Do(ctx, value)
	if err != nil {
		v.Tell("", err)
		return
	}
	switch a.Effect {
	case session.EffectNone:
		if done.Retry != nil {
			v.Tell("", v.Retry(ctx, *done.Retry))
			return
		}
		v.say(done.Said + ".")
	case session.EffectUndo:
		v.undone(done.Undone, "Undid")
	case session.EffectContinue, session.EffectSwitch:
		v.say(done.Said + ". It ended with:")
		v.Moved(done.Moved.Items)
	}
}

// readItem prints the content of an item.
func (v *Views) readItem(got session.Reading) {
	if got.History != nil {
		v.Tell(got.About, nil)
		v.History(got.History, len(got.History)+1)
	}
	for _, c := range got.Changes {
		b := Block{Head: text.Capital(c.What)}
		if c.Note != "" {
			b.Head += " (" + c.Note + ")"
		}
		if c.Prose != nil {
			b.Head += ":"
			b.Whole = strings.Trim(consent.ChangeRows(tools.Proposal{Prose: c.Prose}, v.Width()), "\n")
		}
		v.Print(b)
	}
}

// History prints the last turns of a history.
func (v *Views) History(items []session.HistoryItem, turns int) {
	from := len(items)
	for from > 0 && turns > 0 {
		from--
		if items[from].Role == session.HistoryUser || items[from].Role == session.HistoryGoal {
			turns--
		}
	}
	for _, h := range items[from:] {
		said := strings.TrimRight(h.Content, "\n")
		switch h.Role {
		case session.HistoryReasoning:
			continue
		case session.HistoryQuestion:
			said += session.OptionLines(h.Options)
		case session.HistoryTool:
			said = Called(said, h.Target)
		}
		v.say(cmp.Or(h.Sender, speakers[h.Role], "Note") + ": " + said)
	}
}

// speakers are the labels of history items. All others are notes.
var speakers = map[session.HistoryRole]string{
	session.HistoryUser: "You", session.HistoryAssistant: "Assistant", session.HistoryAgentMessage: "Agent",
	session.HistoryQuestion: "Question", session.HistoryTool: "Tool", session.HistoryError: "Error",
}

// model lists the models of all sources, or switches to one.
func (v *Views) model(ctx context.Context, name string) {
	if name != "" {
		if !v.TurnRuns() {
			used, err := v.Models.Use(name)
			v.Tell(strings.TrimSpace("Continuing with "+used.Name+". "+used.Said), err)
		}
		return
	}
	now, isOffline := v.Provider()
	if isOffline {
		v.Tell(v.Offline, nil)
	}
	list := session.ListModels(v.Models)
	var all sync.WaitGroup
	for _, load := range list.Load {
		routine.Join(&all, "list models", func() { load(ctx) })
	}
	all.Wait()
	var rows []string
	for _, it := range list.Update() {
		if it.Do.Verb == list.Main || it.Do.Not != "" {
			rows = append(rows, cmp.Or(it.Do.Not, strings.TrimSpace(it.ID+" "+strings.Join(it.Facts, ", "))))
		}
	}
	v.Print(Block{Head: "The model is " + now + ". Other known models:", Rows: rows, Foot: "/model NAME uses another."})
}
