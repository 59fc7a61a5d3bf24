package event

import (
	"strings"
	"testing"
)

// TestTransitions compares the state table as a whole: a row for each state, with a cross for each valid successor.
func TestTransitions(t *testing.T) {
	const table = `
                       idle thinking acting observing waiting_clarification waiting_decision retrying completed error
idle                   .    x        .      .         .                     .                .        .         x
thinking               .    x        x      .         .                     x                x        x         x
acting                 .    .        .      x         x                     x                .        .         x
observing              .    x        .      .         .                     .                .        x         x
waiting_clarification  x    .        .      .         .                     .                .        .         .
waiting_decision       x    x        x      x         .                     .                .        .         x
retrying               .    x        .      .         .                     .                .        .         x
completed              x    .        .      .         .                     .                .        .         .
error                  x    .        .      .         .                     .                .        .         .
`
	lines := strings.Split(strings.TrimSpace(table), "\n")
	states := strings.Fields(lines[0])
	if len(lines) != len(states)+1 || len(transitions) != len(states) {
		t.Fatalf("%d lines and %d transitions for %d states", len(lines), len(transitions), len(states))
	}
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		for i, to := range states {
			if want := cells[i+1] == "x"; Legal(State(cells[0]), State(to)) != want {
				t.Errorf("%s → %s: legal is %v", cells[0], to, !want)
			}
		}
	}
	if Legal("nowhere", StateIdle) || Legal(StateIdle, "nowhere") {
		t.Error("a state that is none")
	}
}
