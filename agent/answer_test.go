package agent

import (
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/conversation"
)

func TestChosen(t *testing.T) {
	options := []string{"The first note.", "Both", "3 of them", "1"}
	for answer, want := range map[string]int{
		"The first note.": 0, "the FIRST  note": 0, "both!": 1, " 2 ": 1, "2.": 1, "(2)": 1, "Option 2": 1, "2)": 1,
		"3 of them": 2, "3": 2,
		"1": 0, // the number of one, before the text of another
		"4": 3,
		"":  -1, "  ": -1, "0": -1, "5": -1, "-1": -1, "+1": -1, "2nd": -1, "the second": -1, "note": -1, "99999999999999999999": -1,
	} {
		got, ok := event.ChosenOption(answer, options)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("chosen(%q) = %d, want %d", answer, got, want)
		}
	}
	if i, ok := event.ChosenOption("2", []string{"2", "4", "6"}); i != 1 || !ok {
		t.Errorf("2 of 2, 4, 6 is option %d", i+1)
	}
	if i, ok := event.ChosenOption("6", []string{"2", "4", "6"}); i != 2 || !ok {
		t.Errorf("6 of 2, 4, 6 is option %d", i+1)
	}
	if !event.NoOption(" 0. ", options[:3]) {
		t.Error("0 picks one")
	}
	for answer, want := range map[string]bool{"9": true, "-1": true, "4": true, "3": false, "both": false, "nine": false, "": false} {
		if event.NoOption(answer, options[:3]) != want {
			t.Errorf("%q picks none: %v", answer, !want)
		}
	}
	if event.NoOption("9", nil) || event.NoOption("9", []string{"2", "4"}) {
		t.Error("a number is an answer in other words")
	}
	if _, ok := event.ChosenOption("1", nil); ok {
		t.Error("there is nothing to choose from")
	}
}

func TestQuestionContext(t *testing.T) {
	at := func(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }
	open := &conversation.Turn{Question: "Which one?", Ended: at(9), Messages: []conversation.Message{
		{Role: conversation.RoleUser, Time: at(0)}, {Role: conversation.RoleAgent, Time: at(5), IsQuestion: true},
	}}
	choice := *open
	choice.Options = []string{"The first", "Both"}
	for _, c := range []struct {
		name string
		turn *conversation.Turn
		text string
		sent int
		want string
	}{
		{"an answer", open, "the blue one", 6, "This message is most likely the answer."},
		{"a number without options", open, "2", 6, "This message is most likely the answer."},
		{"sent before", open, "2", 4, "The user sent this message before seeing the question, so it does not answer it. The question is still open: do not ask it again."},
		{"sent before, with options", &choice, "2", 4, "The user sent this message before seeing the question, so it does not answer it. The question is still open: do not ask it again."},
		{"a number", &choice, "2.", 6, "The user chose option 2: “Both”."},
		{"a text", &choice, "the first", 6, "The user chose option 1: “The first”."},
		{"in other words", &choice, "neither", 6, "The options were: 1. “The first”, 2. “Both”. The user chose none of them: this message is most likely the answer, in other words."},
	} {
		if got := history.Question(c.turn, event.Inbound{Text: c.text, Time: at(c.sent)}); got != "You had asked the user: “Which one?” "+c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestOpenQuestion(t *testing.T) {
	asks := conversation.Turn{ID: "asks", Question: "Which?"}
	done := conversation.Turn{ID: "done"}
	failed := conversation.Turn{ID: "failed", Failed: true}
	for _, c := range []struct {
		turns []conversation.Turn
		open  bool
	}{
		{nil, false},
		{[]conversation.Turn{asks}, true},
		{[]conversation.Turn{asks, failed, failed}, true},
		{[]conversation.Turn{asks, done}, false},
		{[]conversation.Turn{asks, done, failed}, false},
		{[]conversation.Turn{failed}, false},
	} {
		if got := (&conversation.Conversation{Turns: c.turns}).OpenQuestion(); (got != nil) != c.open {
			t.Errorf("%+v: %v", c.turns, got)
		}
	}
}
