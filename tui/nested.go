package tui

import (
	"fmt"
	"time"

	"chatvault/agent/event"
)

// nested shows what a sub-agent does, within the line of the call that started it.
func (m *Model) nested(e event.Nested) {
	t := m.tool(e.CallID, "delegate")
	m.talk.details = true
	switch e := e.Event.(type) {
	case event.ToolStarted:
		t.StepStarted(e.ID, e.Name, e.Target, m.now())
	case event.ToolFinished:
		t.StepFinished(e.ID, e.Summary, e.IsError, e.Duration)
		m.sayParts(e)
	case event.Retry:
		if e.Delay <= 0 {
			t.Nest("going on with another model")
			return
		}
		t.Nest(fmt.Sprintf("%s, trying again in %s", retryReason(e), e.Delay.Round(time.Second)))
	case event.StateChanged:
		switch e.State {
		case event.StateThinking:
			t.Nest("thinking")
		case event.StateCompleted:
			t.Nest("reporting")
		}
	}
}
