package offline

import (
	"time"

	"chatvault/agent/llm/offline/retrieval"
)

// Citations is for the tests of answers.
var Citations = citations

// NewAt is New at a time of the test's.
func NewAt(index *retrieval.Index, now func() time.Time) *Engine { return &Engine{index, now} }
