package llm

// Bounds of one response. Over a byte bound a provider ends the stream with ReasonTooLarge.
const (
	MaxLine      = 4 << 20  // bytes of one line of a stream
	MaxResponse  = 32 << 20 // bytes of a whole response
	MaxArguments = 2 << 20  // bytes of the arguments of one tool call

	// MaxToolCalls is how many calls of one response run. A provider yields those beyond it
	// too, so that each can be answered in the history: with an error.
	MaxToolCalls = 16
)
