package agent

import (
	"context"
	"errors"
	"testing"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/tools"
)

func TestLinkChooser(t *testing.T) {
	asked := 0
	answering := func(d event.Decision, err error) askFunc {
		return func(_ context.Context, r event.Request) (event.Answer, error) {
			asked++
			if r.Kind != event.RequestApproval || r.Change.Kind != tools.ChangeLinks || r.Text == "" {
				t.Errorf("asked %+v", r)
			}
			return event.Answer{Decision: d}, err
		}
	}
	p := &Processor{}
	talk := &turn{conv: &conversation.Conversation{ID: "c"}}
	moving := tools.Proposal{Kind: tools.ChangeLinks, Path: "a.md", NewPath: "b.md"}
	stopped := errors.New("stopped")
	for i, c := range []struct {
		ask   askFunc
		want  tools.LinkChoice
		err   error
		asked int
	}{
		{nil, tools.LinksUnasked, nil, 0},
		{answering(event.AllowOnce, nil), tools.LinksUpdate, nil, 1},
		{answering(event.Deny, nil), tools.LinksLeave, nil, 1},
		{answering("", stopped), tools.LinksUnasked, stopped, 1},
		{answering(event.AllowConversation, nil), tools.LinksUpdate, nil, 1},
		{answering(event.Deny, nil), tools.LinksUpdate, nil, 0}, // allowed for the conversation
		{nil, tools.LinksUpdate, nil, 0},
	} {
		asked = 0
		got, err := p.chooseLinks(t.Context(), talk, moving, c.ask)
		if got != c.want || !errors.Is(err, c.err) || asked != c.asked {
			t.Errorf("%d: %v, %v, asked %d times", i, got, err, asked)
		}
	}
	p = &Processor{opt: Options{ApproveAll: true}}
	if got, err := p.chooseLinks(t.Context(), talk, moving, nil); got != tools.LinksUpdate || err != nil {
		t.Errorf("all is approved: %v, %v", got, err)
	}
	r := &run{}
	if got, err := r.ChooseLinks(t.Context(), moving); got != tools.LinksUnasked || err != nil {
		t.Errorf("without anybody who decides: %v, %v", got, err)
	}
}
