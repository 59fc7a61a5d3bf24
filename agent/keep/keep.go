// Package keep keeps the artifacts of a turn: what its tools and its answer bring beside words. Each is
// told of as soon as its owner's log has it, stored beside the turn, and told of again when that ended.
package keep

import (
	"slices"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/internal/artifact"
	"chatvault/internal/routine"
)

// Keeper keeps those of one turn. It is safe for concurrent use.
type Keeper struct {
	Store        *artifact.Store
	Conversation string
	Turn         string
	Emit         func(event.Event)

	storing sync.WaitGroup
	failed  sync.Map // by artifact
}

// Keep begins to store what a call brought, or the answer where call is empty, and gives what a
// conversation says of it.
func (k *Keeper) Keep(call string, things []artifact.Thing) []artifact.Artifact {
	var begun []*artifact.Pending
	var kept []artifact.Artifact
	for _, t := range things {
		p, err := k.Store.Begin(k.Conversation, artifact.Source{Turn: k.Turn, Call: call}, t.Name, t.Data)
		created := p.Entry
		created.State, created.Reason = artifact.Created, ""
		k.tell(created)
		if err != nil {
			k.tell(p.Entry)
			continue
		}
		begun, kept = append(begun, p), append(kept, p.Artifact)
	}
	if len(begun) > 0 {
		routine.Join(&k.storing, "store artifacts", func() {
			for _, p := range begun {
				_ = p.Finish() // the entry says why
				k.tell(p.Entry)
			}
		})
	}
	return kept
}

// Answer keeps what the answer at the end of a record brings. Bytes that are written into it, as data:
// links, stand there by name from then on.
func (k *Keeper) Answer(record []conversation.Message) {
	if len(record) == 0 {
		return
	}
	m := &record[len(record)-1]
	if m.Role != conversation.RoleAssistant || len(m.ToolCalls) > 0 {
		return
	}
	things := artifact.InMarkdown(m.Content)
	words, inline := artifact.Inline(m.Content, "")
	m.Content = words
	things = append(inline, things...)
	m.Artifacts = k.Keep("", things[:min(len(things), artifact.MaxThings)])
}

func (k *Keeper) tell(e artifact.Entry) {
	c := event.ArtifactChanged{
		Meta: event.Meta{TurnID: k.Turn, Time: time.Now()}, CallID: e.Call, Artifact: e.Artifact, State: e.State, Reason: e.Reason,
	}
	switch e.State {
	case artifact.Ready:
		c.File = k.Store.File(e.Hash)
	case artifact.Failed:
		k.failed.Store(e.Artifact, true)
	}
	k.Emit(c)
}

// Settle waits until all is stored, and takes out of a record what could not be. The nil Keeper has
// nothing.
func (k *Keeper) Settle(record []conversation.Message) {
	if k == nil {
		return
	}
	k.storing.Wait()
	for i := range record {
		m := &record[i]
		m.Artifacts = slices.DeleteFunc(m.Artifacts, func(a artifact.Artifact) bool {
			_, failed := k.failed.Load(a)
			return failed
		})
	}
}
