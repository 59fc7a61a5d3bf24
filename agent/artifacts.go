package agent

import (
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/conversation/artifact"
)

// keeper stores the artifacts of one turn and emits an event for each. It is safe for concurrent use.
type keeper struct {
	store        *artifact.Store
	conversation string
	turn         string
	emit         func(event.Event)
}

// keep stores the artifacts of a tool call, or of the answer if call is empty, and returns those that were stored.
// A failure is reported by an event.
func (k *keeper) keep(call string, things []artifact.Thing) (kept []artifact.Artifact) {
	for _, t := range things {
		a, err := artifact.Describe(t.Name, t.Data)
		tell := func(s artifact.State, reason string) {
			k.emit(event.ArtifactChanged{Meta: event.Meta{TurnID: k.turn, Time: time.Now()}, CallID: call, Artifact: a, State: s, Reason: reason})
		}
		tell(artifact.Created, "")
		if err == nil {
			a, err = k.store.Put(k.conversation, t.Name, t.Data)
		}
		if err != nil {
			tell(artifact.Failed, err.Error())
			continue
		}
		tell(artifact.Ready, "")
		kept = append(kept, a)
	}
	return kept
}

// answer stores the data: links of the answer at the end of a record and replaces them by names.
func (k *keeper) answer(record []conversation.Message) {
	if len(record) == 0 {
		return
	}
	m := &record[len(record)-1]
	if m.Role != conversation.RoleAssistant || len(m.ToolCalls) > 0 {
		return
	}
	words, things := artifact.Inline(m.Content, "")
	m.Content = words
	m.Artifacts = k.keep("", things)
}
