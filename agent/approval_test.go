package agent

import (
	"strings"
	"sync"
	"testing"

	"chatvault/tools"
)

func TestApprovalAsks(t *testing.T) {
	mild, harsh := tools.Proposal{Kind: tools.ChangeEdit}, tools.Proposal{Kind: tools.ChangeDelete, Destructive: true}
	for _, c := range []struct {
		policy      Approval
		mild, harsh bool
	}{
		{"", false, false},
		{ApprovalOff, false, false},
		{ApprovalDestructive, false, true},
		{ApprovalWrites, true, true},
		{"something of later", true, true},
	} {
		if got := c.policy.asks(mild); got != c.mild {
			t.Errorf("%q, mild: %v", c.policy, got)
		}
		if got := c.policy.asks(harsh); got != c.harsh {
			t.Errorf("%q, harsh: %v", c.policy, got)
		}
	}
}

// TestWhyAsked: what is said of the setting is what it does: a small edit takes text away, too,
// and is not asked about.
func TestWhyAsked(t *testing.T) {
	if s := ApprovalDestructive.why(); !strings.Contains(s, "more than half of a note") || strings.Contains(s, "take text away") {
		t.Error(s)
	}
	if s := ApprovalWrites.why(); !strings.Contains(s, "approval = writes") {
		t.Error(s)
	}
}

func TestAllowed(t *testing.T) {
	var l allowed
	mild := func(k tools.ChangeKind) tools.Proposal { return tools.Proposal{Kind: k} }
	harsh := tools.Proposal{Kind: tools.ChangeEdit, Destructive: true}
	if l.has("", mild(tools.ChangeEdit)) || l.has("a", mild(tools.ChangeEdit)) {
		t.Error("something is allowed from the start")
	}
	l.add("a", mild(tools.ChangeEdit))
	l.add("a", mild(tools.ChangeMove))
	if !l.has("a", mild(tools.ChangeEdit)) || !l.has("a", mild(tools.ChangeMove)) || l.has("a", mild(tools.ChangeDelete)) || l.has("b", mild(tools.ChangeEdit)) {
		t.Error("what was allowed, or more")
	}
	if l.has("a", harsh) {
		t.Error("who allowed edits allowed those that take text away")
	}
	l.add("a", harsh)
	l.add("a", mild(tools.ChangeEdit))
	if !l.has("a", harsh) {
		t.Error("what was allowed is forgotten")
	}
	l.add("b", mild(tools.ChangeDelete))
	if l.has("a", mild(tools.ChangeEdit)) || l.has("b", mild(tools.ChangeEdit)) || !l.has("b", mild(tools.ChangeDelete)) {
		t.Error("another conversation takes it over")
	}
}

// TestRequestsAtOnce: several wait at once, each for its own answer.
func TestRequestsAtOnce(t *testing.T) {
	var q requests
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			id, w := q.begin("turn", RequestSecret)
			if err := q.take(id, Answer{Decision: Provide, Value: " " + id + "\n"}); err != nil {
				t.Error(err)
			}
			if a := <-w.answer; a.Value != id {
				t.Errorf("%s got %q", id, a.Value)
			}
			q.end(id)
			if q.take(id, Answer{Decision: Deny}) == nil {
				t.Errorf("%s took two answers", id)
			}
		})
	}
	group.Wait()
	if len(q.open) > 0 {
		t.Errorf("%d are left", len(q.open))
	}
}

func TestAnswerChecked(t *testing.T) {
	for _, kind := range []RequestKind{RequestSecret, RequestSetting} {
		if _, err := (Answer{Decision: Provide, Value: " \t"}).checked(kind); err == nil {
			t.Errorf("%s: nothing typed was taken", kind)
		}
		if _, err := (Answer{Decision: AllowOnce}).checked(kind); err == nil {
			t.Errorf("%s: consent was taken", kind)
		}
		if a, err := (Answer{Decision: Deny}).checked(kind); err != nil || a.Decision != Deny {
			t.Errorf("%s: %+v, %v", kind, a, err)
		}
	}
	a, err := Answer{Decision: Deny, Note: strings.Repeat("é", 3*maxNote), Value: "x"}.checked(RequestApproval)
	if err != nil || len([]rune(a.Note)) != maxNote || a.Value != "" {
		t.Errorf("%d runes, %q, %v", len([]rune(a.Note)), a.Value, err)
	}
}
