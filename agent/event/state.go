package event

import "slices"

// transitions holds every legal change of a turn's State; none other happens.
var transitions = map[State][]State{
	StateIdle:                 {StateThinking, StateError},
	StateThinking:             {StateActing, StateRetrying, StateThinking, StateWaitingDecision, StateCompleted, StateError},
	StateActing:               {StateObserving, StateWaitingClarification, StateWaitingDecision, StateError},
	StateObserving:            {StateThinking, StateCompleted, StateError},
	StateRetrying:             {StateThinking, StateError},
	StateWaitingClarification: {StateIdle},
	StateWaitingDecision:      {StateActing, StateObserving, StateThinking, StateIdle, StateError},
	StateCompleted:            {StateIdle},
	StateError:                {StateIdle},
}

// Legal says whether a turn may go from one state to another.
func Legal(from, to State) bool {
	return slices.Contains(transitions[from], to)
}

// Busy says whether a turn in this state has work under way.
func (s State) Busy() bool {
	switch s {
	case StateThinking, StateActing, StateObserving, StateRetrying, StateWaitingDecision:
		return true
	}
	return false
}
