package journal

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestResolve covers undone, redone and partly undone turns. Each word is a turn of one change: "a"; "u:a" undoes a,
// "p:a" a part of it, and "f:a" fails to.
func TestResolve(t *testing.T) {
	tests := map[string]string{ // from a script to the undone turns; "~" marks partly undone ones
		"a b":                 "",
		"a u:a":               "a",
		"a b u:b u:a":         "a b",
		"a u:a u:u:a":         "u:a",
		"a u:a u:u:a x:a":     "a u:a",
		"a p:a":               "~a",
		"a p:a x:a":           "a",
		"a p:a u:p:a":         "p:a",
		"a f:a":               "",
		"a u:a u:u:a u:u:u:a": "a u:u:a",
	}
	for story, want := range tests {
		var turns []Turn
		for i, word := range strings.Fields(story) {
			turn := Turn{Origin: Origin{Turn: word}, Began: time.Unix(int64(i), 0), Changes: []Change{{Seq: 1, Op: "overwrite", State: Done}}}
			if how, of, ok := strings.Cut(word, ":"); ok {
				turn.Undoes, turn.Changes[0].Undoes = of, &Undoes{Seq: 1}
				switch how {
				case "p":
					turn.Changes[0].Undoes.Left = []string{"x.md"}
				case "f":
					turn.Changes[0].State = Failed
				}
			}
			turns = append([]Turn{turn}, turns...)
		}
		markUndone(turns)
		var got []string
		for _, turn := range slices.Backward(turns) {
			if turn.Undone != turn.Changes[0].Undone && turn.Changes[0].State == Done || turn.Partly != turn.Changes[0].Partly {
				t.Errorf("%s: %+v", story, turn)
			}
			switch {
			case turn.Undone:
				got = append(got, turn.Turn)
			case turn.Partly:
				got = append(got, "~"+turn.Turn)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: undone are %q, want %q", story, got, want)
		}
	}
}

// TestResolvePart: a turn is undone if all of its successful changes are.
func TestResolvePart(t *testing.T) {
	turns := []Turn{
		{Origin: Origin{Turn: "u", Undoes: "a"}, Changes: []Change{{Seq: 1, State: Done, Undoes: &Undoes{Seq: 3}}}},
		{Origin: Origin{Turn: "a"}, Changes: []Change{{Seq: 1, State: Done}, {Seq: 2, State: Failed}, {Seq: 3, State: Done}}},
	}
	if markUndone(turns); turns[1].Undone || !turns[1].Partly || !turns[1].Changes[2].Undone {
		t.Errorf("%+v", turns[1])
	}
	turns[0].Changes = append(turns[0].Changes, Change{Seq: 2, State: Done, Undoes: &Undoes{Seq: 1}})
	if markUndone(turns); !turns[1].Undone || turns[1].Partly {
		t.Errorf("%+v", turns[1])
	}
	// A cycle in a damaged journal.
	turns = []Turn{{Origin: Origin{Turn: "a", Undoes: "a"}, Changes: []Change{{Seq: 1, State: Done, Undoes: &Undoes{Seq: 1}}}}}
	markUndone(turns)
}
