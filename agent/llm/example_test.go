package llm_test

import (
	"fmt"
	"time"

	"chatvault/agent/llm"
)

// A response is put together from the chunks of a stream; a call comes in pieces.
func ExampleResponse_Add() {
	var r llm.Response
	for _, c := range []llm.Chunk{
		{Text: "Let me "},
		{Text: "look."},
		{ToolCall: &llm.ToolCallDelta{Index: 0, ID: "call_1", Name: "read_file", Arguments: `{"path":`}},
		{ToolCall: &llm.ToolCallDelta{Index: 0, Arguments: `"a.md"}`}},
		{Finish: llm.FinishToolCalls},
	} {
		r.Add(c)
	}
	fmt.Println(r.Text, r.ToolCalls[0].Name, r.ToolCalls[0].Arguments)
	// Output: Let me look. read_file {"path":"a.md"}
}

// A failed call is tried again where that may help, as long after as the server asks for.
func ExampleRetryPolicy_Next() {
	busy := &llm.Error{Kind: llm.KindRateLimit, RetryAfter: 5 * time.Second}
	fmt.Println(llm.DefaultRetry.Next(1, busy))
	fmt.Println(llm.DefaultRetry.Next(1, &llm.Error{Kind: llm.KindAuth}))
	// Output:
	// 5s true
	// 0s false
}
