package agent

import (
	"slices"
	"strings"
	"time"

	"chatvault/agent/carryover"
	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/conversation"
	"chatvault/internal/text"
)

// overviewContext tells the model how large the vault is and where most of it lies: beside the first
// message of a conversation, and again where that message stands in the prompt no more. Told in the
// system prompt it would change what was sent before with every note that is made.
func (p *Processor) overviewContext(t *turn) string {
	if p.opt.Vars == nil || history.OverviewTold(t.conv) {
		return ""
	}
	return history.Overview(p.prompts.base(t.ctx, t.conv.ID, p.opt.Vars))
}

// earlierTold is how many conversations that ended last the model is told of.
const earlierTold = 2

// earlierContext tells the model of the conversations that ended last, beside the user's message:
// with the first one, and again where a title and a summary were made since, or the message that
// told of it stands in the prompt no more. So nothing changes in what was sent before.
func (p *Processor) earlierContext(t *turn) []string {
	ended, err := p.opt.Conversations.Recent(earlierTold)
	if err != nil {
		p.opt.Log.Warn("the earlier conversations could not be read", "error", err)
		return nil
	}
	slices.Reverse(ended) // oldest first
	return history.Earlier(t.conv, ended)
}

// stopContext tells the model of the turns that were stopped since one was last answered.
func (p *Processor) stopContext(t *turn, n carryover.Notes) []string {
	var withhold history.Rule
	if p.opt.Withhold != nil {
		withhold = p.opt.Withhold()
	}
	return history.Stops(n.StopsIn(p.opt.Conversations.Pinned()), history.RoomIn(p.windows.Room(t.provider, p.opt.Window).Window), withhold)
}

// sendable is a conversation as models may be sent it.
func (p *Processor) sendable(c *conversation.Conversation) *conversation.Conversation {
	if p.opt.Withhold == nil {
		return c
	}
	return history.Withheld(c, p.opt.Withhold())
}

// routed tells the model which way the turn's message came, where it was not typed here (event.Inbound.Via).
var routed = map[string]string{
	"voice":  "This message was spoken and routed here: answer in a sentence or two of plain words, without Markdown.",
	"routed": "This message was routed here, most likely from a voice assistant: answer in a sentence or two of plain words, without Markdown.",
}

// context is what the model is told beside the newest message.
func (p *Processor) context(t *turn) string {
	var lines []string
	t.told = time.Now()
	lines = append(lines, p.overviewContext(t), routed[t.entries[0].Via()])
	if n, err := carryover.Load(p.opt.Root); err != nil {
		p.bus.Publish(event.Notice{Meta: t.meta(), Text: err.Error()})
	} else {
		lines = append(lines, p.stopContext(t, n)...)
		lines = append(lines, n.ToldUndos(p.opt.Conversations.Pinned())...)
	}
	lines = append(lines, p.earlierContext(t)...)
	lines = append(lines, t.answerContext()...)
	plan, err := p.planContext(t)
	if err != nil {
		p.warn(t.meta(), "The model could not be told about the plan", err)
	}
	goal, err := p.goalContext(t)
	if err != nil {
		p.warn(t.meta(), "The model could not be told about the goal", err)
	}
	lines = append(lines, plan, goal)
	for _, e := range t.entries {
		if e.ToolsRan {
			done := "It is not known what it changed: check the notes before you repeat anything."
			if len(e.Changes) > 0 {
				done = history.AlreadyDone + strings.Join(e.Changes, "; ") + ". Do not repeat it."
			}
			lines = append(lines, "An earlier attempt at this request ended early. "+done)
		}
	}
	return strings.Join(slices.DeleteFunc(lines, text.Blank), "\n")
}

// answerContext tells the model what the turn's messages have to do with the question that
// waits. What is said to a plan is told by planContext.
func (t *turn) answerContext() []string {
	asked := t.conv.OpenQuestion()
	if asked == nil || t.setGoal || t.plan != planNone && t.plan != planGoOn {
		return nil
	}
	messages := t.inbound()
	m := messages[len(messages)-1]
	for _, other := range messages {
		if _, ok := event.ChosenOption(other.Text, asked.Options); ok && !other.Time.Before(asked.Asked()) {
			m = other
		}
	}
	if asked.Plan && !m.Time.Before(asked.Asked()) {
		return nil // it is about something else
	}
	return []string{history.Question(asked, m) + history.LostRequest(t.conv, asked)}
}

// inbound are the messages the turn began with.
func (t *turn) inbound() []event.Inbound {
	list := make([]event.Inbound, len(t.entries))
	for i := range t.entries {
		list[i] = t.entries[i].Inbound
	}
	return list
}

// noted are the notes as they are. What is wrong with them is told by the next turn: who reads
// them first sets aside what makes no sense, and who reads them later finds nothing wrong.
func (p *Processor) noted() carryover.Notes {
	n, err := carryover.Load(p.opt.Root)
	if err != nil {
		p.mu.Lock()
		p.untold = append(p.untold, err.Error())
		p.mu.Unlock()
	}
	return n
}

// tellNotes tells what was wrong with the notes.
func (p *Processor) tellNotes(m event.Meta) {
	p.mu.Lock()
	texts := p.untold
	p.untold = nil
	p.mu.Unlock()
	for _, text := range texts {
		p.bus.Publish(event.Notice{Meta: m, Text: text})
	}
}
