// Package llmtest provides a scripted language model server for tests. It speaks the OpenAI
// chat-completions protocol, Anthropic's Messages API and OpenAI's Responses API over real HTTP;
// the path of a request selects the protocol. Conditions see each request as a chat completion.
// It promises three things to a test:
//
//   - It answers each model call with the next step of a script, and can reproduce the faults of
//     real endpoints: delays, hangs, cut and reset connections, refusals, malformed bytes.
//   - It records every request, and when a client disconnects before the end of an answer.
//   - It refuses a malformed history with HTTP 400 and records the reason as a violation: each
//     tool call must be answered exactly once right after its assistant message, ids must be
//     unique, turns must not be empty, arguments must be JSON objects, schemas must be valid.
//
// From Go:
//
//	srv := llmtest.New(t,
//		llmtest.ToolCall("read_file", map[string]any{"path": "a.md"}),
//		llmtest.Reply("It says hello.", llmtest.Expect(`tool result contains "hello"`)),
//	)
//	// srv.URL() is the base URL, http://127.0.0.1:PORT/v1
//
// From a script file ([ParseScript], [Start]):
//
//	# first model call
//	text: Looking at your projects…
//	tool: search_files {"pattern":"budget"}
//	---
//	expect: tool result contains "Found 2"
//	delay: 200ms
//	text: Two notes mention it.
//	---
//	status: 429
//	header: Retry-After: 1
//	body: {"error":{"message":"slow down"}}
//	---
//	hang
//
// A line of --- separates steps. The steps answer model calls in script order, one call each
// unless "repeat" is set. Empty lines and lines that begin with # are ignored. A value of |
// stands for the indented lines below it:
//
//	text: |
//	  # Two lines
//	  of Markdown
//
// The directives of a step:
//
//	when: COND        answer only calls that meet the condition; other calls skip the step
//	expect: COND      refuse a call that does not meet the condition, and record a violation
//	repeat: 3         answer three calls; "repeat: forever" answers any number
//	text: TEXT        part of the answer, streamed in pieces
//	reasoning: TEXT   part of the model's reasoning; over the Messages API, text that begins
//	                  with "REDACTED " becomes a redacted_thinking block
//	tool: NAME {…}    a tool call with its arguments; "tool: NAME id=ID {…}" sets its id
//	delay: 200ms      pause here
//	hang              send nothing more until the client disconnects
//	cut               close the connection here (FIN, in the middle of the body)
//	reset             reset the connection here (RST)
//	flush             flush the output so far, or only the headers
//	comment: TEXT     an SSE comment, like the keep-alives of some endpoints
//	wire: "…"         raw bytes as a Go string literal; no end is added
//	error: MESSAGE    an error in the middle of the stream
//	finish: REASON    the finish reason; "finish: none" ends without one
//	usage: P C        prompt and completion tokens, optionally followed by cached=N (included
//	                  in P), reasoning=N (included in C) and cost=D (dollars);
//	                  "usage: none" reports no usage
//	split: 3          runes per piece (default: one word of text, 12 runes of arguments)
//	pace: 10ms        pause between pieces
//	plain             one JSON document instead of a stream
//	forget            from here on, refuse reasoning that was sealed before this step
//	status: 429       HTTP status; from 300 on the answer is the response body alone
//	header: N: V      a response header
//	body: TEXT        the response body, instead of a streamed answer
//
// A client asks for the title of a conversation after its end. Such a call gets a default answer
// and is left out of [Server.Requests], unless a step with a "when" matches it, for example
// when: system contains "TITLE:"
//
// A COND has the form SUBJECT VERB "TEXT". The subject is system, user, assistant or
// "tool result" (the last message of that role), "any message", "all messages" (the whole history
// as text), tools (the names of the tools that the model may call), model, body or "header NAME".
// The verb is contains, is or matches (RE2); "not" before the verb negates it. Four conditions
// have no verb: "no tools" (the model may not call any), "no tool result", "no result yet" (no
// tool result since the last user message) and "messages N" (the number of messages).
package llmtest
