package agent

import (
	"reflect"
	"strings"
	"sync"
	"testing"

	"chatvault/agent/event"
	"chatvault/internal/base/prosediff"
	"chatvault/tools"
)

func TestApprovalAsks(t *testing.T) {
	edit := tools.Proposal{Kind: tools.ChangeEdit}
	for _, c := range []struct {
		name   string
		change tools.Proposal
		nth    int
		why    string // where destructive ones are asked about; empty: it is not
	}{
		{"a new note", tools.Proposal{Kind: tools.ChangeCreate}, 1, ""},
		{"a small edit", edit, 1, ""},
		{"the fifth", edit, 5, ""},
		{"the sixth", edit, 6, "This is change 6 of this turn; after 5 changes, each waits"},
		{"the twelfth", tools.Proposal{Kind: tools.ChangeCreate}, 12, "This is change 12 of this turn"},
		{"the twenty-second", tools.Proposal{Kind: tools.ChangeMove}, 22, "This is change 22 of"},
		{"an edit that takes most away", tools.Proposal{Kind: tools.ChangeEdit, Destructive: true}, 1, "Removing more than half of a note waits"},
		{"the same as the sixth", tools.Proposal{Kind: tools.ChangeEdit, Destructive: true}, 6, "Removing more than half of a note waits"},
		{"writing over a note that was read", tools.Proposal{Kind: tools.ChangeOverwrite}, 1, ""},
		{"so that most of it goes", tools.Proposal{Kind: tools.ChangeOverwrite, Destructive: true}, 1, "Removing more than half"},
		{"writing over one that was not", tools.Proposal{Kind: tools.ChangeOverwrite, Unread: true}, 1, "Overwriting a note that was not read waits"},
		{"moving a note", tools.Proposal{Kind: tools.ChangeMove}, 1, ""},
		{"moving a folder", tools.Proposal{Kind: tools.ChangeMove, Folder: true}, 1, "Moving a folder waits"},
		{"deleting", tools.Proposal{Kind: tools.ChangeDelete}, 1, "Deleting waits"},
		{"a folder", tools.Proposal{Kind: tools.ChangeFolder}, 1, ""},
	} {
		for _, policy := range []event.Approval{"", event.ApprovalOff, event.ApprovalDestructive, event.ApprovalWrites, "something of later"} {
			why, asks := Asks(policy, c.change, c.nth)
			switch policy {
			case "", event.ApprovalOff:
				if asks {
					t.Errorf("%s is asked about with %q", c.name, policy)
				}
			case event.ApprovalDestructive:
				if asks != (c.why != "") || asks && (!strings.HasPrefix(why, c.why) || !strings.HasSuffix(why, "(approval = destructive).")) {
					t.Errorf("%s: %v, %q", c.name, asks, why)
				}
			default:
				if !asks || !strings.Contains(why, "approval = writes") {
					t.Errorf("%s with %q: %v, %q", c.name, policy, asks, why)
				}
			}
		}
	}
}

func TestAllowed(t *testing.T) {
	l := &consents{core: &core{}}
	mild := func(k tools.ChangeKind) tools.Proposal { return tools.Proposal{Kind: k} }
	destructiveWhy := tools.Proposal{Kind: tools.ChangeEdit, Destructive: true}
	if l.allows("", mild(tools.ChangeEdit)) || l.allows("a", mild(tools.ChangeEdit)) {
		t.Error("something is allowed from the start")
	}
	l.allow("a", mild(tools.ChangeEdit))
	l.allow("a", mild(tools.ChangeMove))
	if !l.allows("a", mild(tools.ChangeEdit)) || !l.allows("a", mild(tools.ChangeMove)) || l.allows("a", mild(tools.ChangeDelete)) || l.allows("b", mild(tools.ChangeEdit)) {
		t.Error("what was allowed, or more")
	}
	if l.allows("a", destructiveWhy) {
		t.Error("who allowed edits allowed those that take text away")
	}
	l.allow("a", destructiveWhy)
	l.allow("a", mild(tools.ChangeEdit))
	if !l.allows("a", destructiveWhy) {
		t.Error("what was allowed is forgotten")
	}
	if l.allow("a", tools.Proposal{Kind: tools.ChangeOverwrite}); l.allows("a", tools.Proposal{Kind: tools.ChangeOverwrite, Unread: true}) {
		t.Error("who allowed writing over notes that were read allowed it of those that were not")
	}
	if l.allows("a", tools.Proposal{Kind: tools.ChangeMove, Folder: true}) {
		t.Error("who allowed moving notes allowed moving folders")
	}
	l.allow("b", mild(tools.ChangeDelete))
	if l.allows("a", mild(tools.ChangeEdit)) || l.allows("b", mild(tools.ChangeEdit)) || !l.allows("b", mild(tools.ChangeDelete)) {
		t.Error("another conversation takes it over")
	}
}

// TestRequestsAtOnce: several wait at once, each for its own answer.
func TestRequestsAtOnce(t *testing.T) {
	q := &consents{core: &core{}}
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			w := q.register("turn", event.Request{Kind: event.RequestSecret})
			id := w.ID
			if err := q.Answer(id, event.Answer{Decision: event.Provide, Value: " " + id + "\n"}); err != nil {
				t.Error(err)
			}
			if a := <-w.answer; a.Value != id {
				t.Errorf("%s got %q", id, a.Value)
			}
			q.open.Delete(id)
			if q.Answer(id, event.Answer{Decision: event.Deny}) == nil {
				t.Errorf("%s took two answers", id)
			}
		})
	}
	group.Wait()
	q.open.Range(func(id, _ any) bool {
		t.Errorf("%s is left", id)
		return true
	})
}

func TestAnswerChecked(t *testing.T) {
	for _, kind := range []event.RequestKind{event.RequestSecret, event.RequestSetting} {
		if _, err := (event.Answer{Decision: event.Provide, Value: " \t"}).Checked(event.Request{Kind: kind}); err == nil {
			t.Errorf("%s: nothing typed was taken", kind)
		}
		if _, err := (event.Answer{Decision: event.AllowOnce}).Checked(event.Request{Kind: kind}); err == nil {
			t.Errorf("%s: consent was taken", kind)
		}
		if a, err := (event.Answer{Decision: event.Deny}).Checked(event.Request{Kind: kind}); err != nil || a.Decision != event.Deny {
			t.Errorf("%s: %+v, %v", kind, a, err)
		}
	}
	a, err := event.Answer{Decision: event.Deny, Note: strings.Repeat("é", 3*event.MaxNote), Value: "x"}.Checked(event.Request{Kind: event.RequestApproval})
	if err != nil || len([]rune(a.Note)) != event.MaxNote || a.Value != "" {
		t.Errorf("%d runes, %q, %v", len([]rune(a.Note)), a.Value, err)
	}
}

// TestAnswerPicks: an answer names parts that the change has.
func TestAnswerPicks(t *testing.T) {
	whole := tools.Proposal{Kind: tools.ChangeEdit, Prose: prosediff.Compare("one a\n\ntwo b\n\nthree c\n", "one x\n\ntwo y\n\nthree z\n")}
	parts := whole
	parts.Pick = true
	for _, c := range []struct {
		name   string
		change tools.Proposal
		answer event.Answer
		want   event.Answer
		fault  string
	}{
		{"all", parts, event.Answer{Decision: event.AllowOnce}, event.Answer{Decision: event.AllowOnce}, ""},
		{"two", parts, event.Answer{Decision: event.AllowOnce, Hunks: []int{2, 0, 2}}, event.Answer{Decision: event.AllowOnce, Hunks: []int{0, 2}}, ""},
		{"each", parts, event.Answer{Decision: event.AllowOnce, Hunks: []int{1, 2, 0}}, event.Answer{Decision: event.AllowOnce}, ""},
		{"and later ones", parts, event.Answer{Decision: event.AllowConversation, Hunks: []int{1}}, event.Answer{Decision: event.AllowConversation, Hunks: []int{1}}, ""},
		{"none", parts, event.Answer{Decision: event.AllowOnce, Hunks: []int{}, Note: "no"}, event.Answer{Decision: event.Deny, Note: "no"}, ""},
		{"one that is none", parts, event.Answer{Decision: event.AllowOnce, Hunks: []int{3}}, event.Answer{}, "there is no part 4"},
		{"of a whole", whole, event.Answer{Decision: event.AllowOnce, Hunks: []int{0}}, event.Answer{}, "only be taken as a whole"},
		{"denied", whole, event.Answer{Decision: event.Deny, Hunks: []int{0}}, event.Answer{Decision: event.Deny}, ""},
	} {
		got, err := c.answer.Checked(event.Request{Kind: event.RequestApproval, Change: c.change})
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v", c.name, err)
			}
		} else if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}
