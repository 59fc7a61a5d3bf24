package inbox

import (
	"chatvault/tools"
)

// Effect is a change of the vault that a call made, or was about to make when the process
// ended. The inbox entry keeps it until its message is finished: an attempt that repeats the
// call does not repeat the effect.
type Effect struct {
	tools.Effect
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`        // canonical JSON
	Result    string `json:"result,omitempty"` // empty: nobody saw its end
}
