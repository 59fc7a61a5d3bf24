package agent

import (
	"context"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/tools"
)

// messenger is the agent's end of the tools that speak to the user, or have others work.
type messenger run

// SendMessage shows text to the user at once; a question makes the turn end waiting.
func (m *messenger) SendMessage(_ context.Context, text string, isQuestion bool) error {
	r := (*run)(m)
	r.say(text, isQuestion, nil)
	return nil
}

// AskUser asks a question with options; the turn ends waiting.
func (m *messenger) AskUser(_ context.Context, question string, options []string) error {
	(*run)(m).say(question, true, options)
	return nil
}

// SetTasks shows the agent's steps.
func (m *messenger) SetTasks(_ context.Context, items []tools.TaskItem) error {
	r := (*run)(m)
	r.tasks = items
	r.Emit(event.TaskList{Meta: r.meta(), Items: items})
	return nil
}

// EndConversation ends the conversation, once the turn's answer is on record.
func (m *messenger) EndConversation(context.Context, string) error {
	m.out.Ends = true
	return nil
}

// say shows an agent message and records it.
func (r *run) say(text string, isQuestion bool, options []string) {
	e := event.AgentMessage{Meta: r.meta(), Content: text, IsQuestion: isQuestion, Options: options}
	r.out.Record = append(r.out.Record, conversation.Message{Role: conversation.RoleAgent, Time: e.Time, Content: text, IsQuestion: isQuestion})
	r.told = true
	if isQuestion {
		r.out.Question, r.out.Options = text, options
	}
	r.Emit(e)
}
