package acp

import (
	"context"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
)

// The modes of a session: what is asked about, as the setting approval has it, and whether anything may
// be changed at all.
const (
	modeAsk         protocol.SessionModeId = "ask"
	modeDestructive protocol.SessionModeId = "destructive"
	modeAuto        protocol.SessionModeId = "auto"
	modePlan        protocol.SessionModeId = "plan"
)

// modeTable are all modes, as an editor lists them.
var modeTable = []struct {
	id          protocol.SessionModeId
	name, about string
	approval    event.Approval
}{
	{modeAsk, "Ask first", "Each change of a note waits for your consent", event.ApprovalWrites},
	{modeDestructive, "Ask before destructive changes", "Deleting, and what takes much away, waits for your consent", event.ApprovalDestructive},
	{modeAuto, "Autonomous", "Notes are changed without asking; /undo reverts changes", event.ApprovalOff},
	{modePlan, "Plan only", "The agent looks and makes a plan; nothing changes until you approve it", event.ApprovalPlan},
}

// modeOf is the mode of an approval.
func modeOf(a event.Approval) protocol.SessionModeId {
	for _, m := range modeTable {
		if m.approval == a {
			return m.id
		}
	}
	return modeAsk // what is not known is not weaker
}

// modes are those there are, and the one that counts.
func (c *chat) modes() *protocol.SessionModeState {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := &protocol.SessionModeState{CurrentModeId: c.mode}
	for _, m := range modeTable {
		about := m.about
		state.AvailableModes = append(state.AvailableModes, protocol.SessionMode{Id: m.id, Name: m.name, Description: &about})
	}
	return state
}

func (s *server) setMode(_ context.Context, r protocol.SetSessionModeRequest) (protocol.SetSessionModeResponse, error) {
	c, err := s.known(r.SessionId)
	if err != nil {
		return protocol.SetSessionModeResponse{}, err
	}
	for _, m := range modeTable {
		if m.id == r.ModeId {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.mode = m.id
			return protocol.SetSessionModeResponse{}, c.SetApproval(m.approval)
		}
	}
	return protocol.SetSessionModeResponse{}, protocol.NewInvalidParams(map[string]any{"error": "there is no mode " + string(r.ModeId)})
}
