package agent

import (
	"context"

	"chatvault/agent/lock"
)

// pinned says whether the processor keeps to a conversation of its own.
func (p *Processor) pinned() bool { return p.opt.Conversations.Pinned() != "" }

// lockTurn keeps other turns away from the conversation. One that is pinned is open here alone: its
// turns wait for nobody's, and nobody's wait while somebody is asked here. What a turn changes in the
// vault is kept apart change by change (vault.Commit).
func (p *Processor) lockTurn(ctx context.Context, waiting func(who string)) (release func(), err error) {
	if p.pinned() {
		return func() {}, context.Cause(ctx)
	}
	return lock.Turn(ctx, p.opt.Root, p.opt.Name, waiting)
}
