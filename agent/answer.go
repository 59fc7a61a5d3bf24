package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/internal/text"
)

// openQuestion is the turn whose question the conversation waits with; nil: it waits with none. Turns
// since that failed, or whose messages were sent before it was asked, have answered nothing.
func openQuestion(c *conversation.Conversation) *conversation.Turn {
	p := c.PendingQuestion()
	if p == nil { // none, or nobody's answer is waited for any more
		return nil
	}
	for i := len(c.Turns) - 1; i >= 0; i-- {
		if t := &c.Turns[i]; t.ID == p.MessageID && !t.Failed {
			return t
		}
	}
	return nil
}

// lastAsking is the turn that the next message goes on from: the one that waits for an answer, else
// the last that did not fail; nil: there is none.
func lastAsking(c *conversation.Conversation) *conversation.Turn {
	if t := openQuestion(c); t != nil {
		return t
	}
	return lastDone(c)
}

// lastDone is the last turn that did not fail; nil: there is none.
func lastDone(c *conversation.Conversation) *conversation.Turn {
	for i := len(c.Turns) - 1; i >= 0; i-- {
		if t := &c.Turns[i]; !t.Failed {
			return t
		}
	}
	return nil
}

// askedAt is when the question of a turn was shown: what was sent before it is no answer to it.
func askedAt(t *conversation.Turn) time.Time {
	at := t.Ended
	for _, m := range t.Messages {
		if m.IsQuestion {
			at = m.Time
		}
	}
	return at
}

// answerContext tells the model what the turn's messages have to do with the question that
// waits. What is said to a plan is told by planContext.
func (t *turn) answerContext() []string {
	asked := openQuestion(t.conv)
	if asked == nil || t.setGoal || t.plan != planNone && t.plan != planGoOn {
		return nil
	}
	messages := t.inbound()
	m := messages[len(messages)-1]
	for _, other := range messages {
		if _, ok := event.ChosenOption(other.Text, asked.Options); ok && !other.Time.Before(askedAt(asked)) {
			m = other
		}
	}
	if asked.Plan && !m.Time.Before(askedAt(asked)) {
		return nil // it is about something else
	}
	return []string{questionContext(asked, m) + lostRequest(t.conv, asked)}
}

// lostRequest is what the turn was about that asked, where only a summary stands for it by now:
// then the model goes on where it was all the same.
func lostRequest(c *conversation.Conversation, asked *conversation.Turn) string {
	if i := slices.IndexFunc(c.Turns, func(t conversation.Turn) bool { return t.ID == asked.ID }); i >= c.Compacted() {
		return ""
	}
	var texts []string
	for _, m := range asked.Messages {
		if m.Role == conversation.RoleUser {
			texts = append(texts, m.Content)
		}
	}
	return fmt.Sprintf(" You asked that while you worked on this request: “%s”; the summary says what you had done for it.", text.Excerpt(strings.Join(texts, " "), maxLostRequest))
}

const maxLostRequest = 1000 // characters

// inbound are the messages the turn began with.
func (t *turn) inbound() []event.Inbound {
	list := make([]event.Inbound, len(t.entries))
	for i := range t.entries {
		list[i] = t.entries[i].Inbound
	}
	return list
}

// questionContext tells the model what a message has to do with the question that waits.
func questionContext(t *conversation.Turn, m event.Inbound) string {
	asked := "You had asked the user: “" + text.Excerpt(t.Question, 500) + "” "
	if m.Time.Before(askedAt(t)) {
		return asked + "The user sent this message before seeing the question, so it is no answer to it. The question still waits for one: do not ask it again."
	}
	if i, ok := event.ChosenOption(m.Text, t.Options); ok {
		return asked + fmt.Sprintf("The user chose option %d: “%s”.", i+1, text.Excerpt(t.Options[i], 500))
	}
	if len(t.Options) == 0 {
		return asked + "This message is most likely the answer."
	}
	list := make([]string, len(t.Options))
	for i, o := range t.Options {
		list[i] = fmt.Sprintf("%d. “%s”", i+1, text.Excerpt(o, 200))
	}
	return asked + "The options were: " + strings.Join(list, ", ") + ". The user chose none of them: this message is most likely the answer, in other words."
}
