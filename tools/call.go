package tools

import (
	"context"
	"encoding/json"

	"chatvault/vault/journal"
)

// Call is a call that changed something.
type Call struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`        // see Arguments
	Result    string `json:"result,omitempty"` // empty: it was cut off, and it is not known what it did
}

// Arguments returns a call's arguments in a form of bounded length in which equal ones are equal.
func Arguments(args json.RawMessage) string { return string(journal.Arguments(args)) }

// Made returns the calls that changed the vault in a turn and were not undone since, as its journal has them.
func (r *Registry) Made(ctx context.Context, turn string) ([]Call, error) {
	changes, err := r.vault.History.Made(ctx, turn)
	var calls []Call
	for _, c := range changes {
		call := Call{Tool: c.Tool, Arguments: Arguments(c.Arguments)}
		if c.State == journal.Done {
			call.Result = c.Did()
		}
		calls = append(calls, call)
	}
	return calls, err
}
