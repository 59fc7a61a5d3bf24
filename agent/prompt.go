package agent

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/pending"
	"chatvault/agent/prompts"
	"chatvault/conversation"
	"chatvault/internal/text"
	"chatvault/tools"
)

// promptMaker makes the prompts of a processor.
type promptMaker struct {
	files *prompts.Files

	mu     sync.Mutex
	varsOf string       // the conversation that vars are of
	vars   prompts.Vars // what is known of vault and person; asked once a conversation, so that a provider can cache the prefix
}

// base returns the variables that are constant in a conversation. With an empty conversation, it returns what is
// known already.
func (p *promptMaker) base(ctx context.Context, conv string, ask func(context.Context) prompts.Vars) prompts.Vars {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.varsOf == conv && conv != "" || conv == "" && p.varsOf != "" || ask == nil {
		return p.vars
	}
	v := ask(ctx)
	if ctx.Err() == nil { // else it was cut short
		p.varsOf, p.vars = conv, v
	}
	return v
}

// prompt renders a prompt, using the vault's own version if it works. A problem with it is published as a notice.
func (p *Processor) prompt(ctx context.Context, m event.Meta, conv, name string, fill func(*prompts.Vars)) (string, error) {
	v := p.prompts.base(ctx, conv, p.opt.Vars)
	v.Time, v.MaxRounds = prompts.Time(time.Now()), p.opt.MaxRounds
	if p.opt.Steer != nil {
		p.opt.Steer(&v)
	}
	return p.rendered(m, name, v, fill)
}

// backgroundPrompt makes a prompt of what is known of vault and person, which a look at the vault
// for it would not be worth.
func (p *Processor) backgroundPrompt(ctx context.Context, name string) (string, error) {
	now := time.Now()
	v := p.prompts.base(ctx, "", p.opt.Vars)
	v.Time = prompts.Time(now)
	return p.rendered(event.Meta{Time: now}, name, v, nil)
}

func (p *Processor) rendered(m event.Meta, name string, v prompts.Vars, fill func(*prompts.Vars)) (string, error) {
	if fill != nil {
		fill(&v)
	}
	text, _, problem, err := p.prompts.files.Render(name, v)
	if problem != "" {
		p.bus.Publish(event.Notice{Meta: m, Text: problem})
	}
	return text, err
}

// turnPrompt makes a prompt of a turn.
func (p *Processor) turnPrompt(t *turn, name string, fill func(*prompts.Vars)) (string, error) {
	return p.prompt(t.ctx, t.meta(), t.conv.ID, name, func(v *prompts.Vars) {
		v.Time = prompts.Time(t.started)
		v.Tools = t.tools
		if q := t.conv.OpenQuestion(); q != nil {
			v.Question, v.Options = q.Question, q.Options
		}
		t.goal.Fill(v)
		if fill != nil {
			fill(v)
		}
	})
}

// awaitTools waits for tools that are about to become available.
func (p *Processor) awaitTools(t *turn) {
	if p.opt.Ready != nil {
		p.opt.Ready(t.ctx)
	}
}

// toolsNow returns the tools of the next turn.
func (p *Processor) toolsNow() []tools.Tool {
	if p.opt.Tools == nil {
		return nil
	}
	return p.opt.Tools(&run{}).Tools()
}

// prompt makes a prompt of the run's; without a processor it is a built-in one.
func (r *run) prompt(name string, fill func(*prompts.Vars)) (string, error) {
	if r.of != nil {
		return r.proc.turnPrompt(r.of, name, fill)
	}
	v := prompts.Vars{Time: prompts.Time(time.Now())}
	if fill != nil {
		fill(&v)
	}
	return prompts.Builtin(name, v)
}

// overviewContext describes the size of the vault, with the first message of a conversation and again if that message
// has been summarized. In the system prompt it would invalidate prompt caches with every new note.
func (p *Processor) overviewContext(t *turn) string {
	if p.opt.Vars == nil || history.OverviewTold(t.conv) {
		return ""
	}
	return history.Overview(p.prompts.base(t.ctx, t.conv.ID, p.opt.Vars))
}

// earlierTold is the number of ended conversations that the model is told about.
const earlierTold = 2

// earlierContext describes the conversations that ended last, with the first message of a conversation, and again if
// they have got a title since or that message has been summarized.
func (p *Processor) earlierContext(t *turn) []string {
	ended, err := p.opt.Conversations.Recent(earlierTold)
	if err != nil {
		p.opt.Log.Warn("the earlier conversations could not be read", "error", err)
		return nil
	}
	slices.Reverse(ended) // oldest first
	return history.Earlier(t.conv, ended)
}

// sendable returns a conversation without what is withheld from models.
func (p *Processor) sendable(c *conversation.Conversation) *conversation.Conversation {
	if p.opt.Withhold == nil {
		return c
	}
	return history.Withheld(c, p.opt.Withhold())
}

// routed is the context for messages from other programs, by event.Inbound.Via.
var routed = map[string]string{
	"voice":  "This message was spoken and routed here: answer in a sentence or two of plain words, without Markdown.",
	"routed": "This message was routed here, most likely from a voice assistant: answer in a sentence or two of plain words, without Markdown.",
}

// context returns the context added to the newest message of a turn.
func (p *Processor) context(t *turn) string {
	var lines []string
	if !t.compact {
		lines = append(lines, p.overviewContext(t))
	}
	lines = append(lines, routed[t.entries[0].Via()])
	if n, err := pending.Load(p.opt.Root); err != nil {
		p.bus.Publish(event.Notice{Meta: t.meta(), Text: err.Error()})
	} else {
		t.notes = n.For(t.conv.ID, len(t.conv.Turns) == 0, p.opt.Conversations.Has)
		var withhold history.Rule
		if p.opt.Withhold != nil {
			withhold = p.opt.Withhold()
		}
		lines = append(lines, history.Stops(t.notes.Stops, withhold)...)
		lines = append(lines, text.Of(t.notes.Undos, func(u pending.Undo) string { return strings.TrimSpace(u.Text) })...)
	}
	if !t.compact {
		lines = append(lines, p.earlierContext(t)...)
	}
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

// answerContext relates the turn's messages to the open question. Answers to a plan are handled by planContext.
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

// inbound returns the messages that the turn began with.
func (t *turn) inbound() []event.Inbound {
	list := make([]event.Inbound, len(t.entries))
	for i := range t.entries {
		list[i] = t.entries[i].Inbound
	}
	return list
}

// loadNotes returns the notes. A problem with them is reported by the next turn: reading sets invalid notes aside, so
// that it is found once.
func (p *Processor) loadNotes() pending.Notes {
	n, err := pending.Load(p.opt.Root)
	if err != nil {
		p.mu.Lock()
		p.unreported = append(p.unreported, err.Error())
		p.mu.Unlock()
	}
	return n
}

// publishNotices publishes the problems found with the notes.
func (p *Processor) publishNotices(m event.Meta) {
	p.mu.Lock()
	texts := p.unreported
	p.unreported = nil
	p.mu.Unlock()
	for _, text := range texts {
		p.bus.Publish(event.Notice{Meta: m, Text: text})
	}
}
