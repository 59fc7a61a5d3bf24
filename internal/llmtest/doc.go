// Package llmtest is a scripted language model behind the OpenAI chat-completions
// protocol, over real HTTP, and behind Anthropic's Messages and OpenAI's Responses API,
// by the path that is asked for: conditions see each request as a chat completion. What
// begins with REDACTED in "reasoning" is thought unseen over the Messages API. It promises
// three things to a test:
//
//   - it answers each model call with the next step of a script, and can do all that
//     a real endpoint does wrong: delay, hang, cut, reset, refuse, send odd bytes;
//   - it records every request, and when a client left in the middle of an answer;
//   - it refuses a malformed history with HTTP 400 and keeps the reason as a violation:
//     each tool call must be answered exactly once right after its assistant message,
//     ids are unique, no turn is empty, arguments are JSON objects, schemas are valid.
//
// From Go:
//
//	srv := llmtest.New(t,
//		llmtest.ToolCall("read_file", map[string]any{"path": "a.md"}),
//		llmtest.Reply("It says hello.", llmtest.Expect(`tool result contains "hello"`)),
//	)
//	// srv.URL() is the base URL, http://127.0.0.1:PORT/v1
//
// From a file, for scripts that a reader follows ([ParseScript], [Start]):
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
// A line of --- separates steps; each step answers one model call, in order. Lines that begin
// with # and empty lines say nothing. A value of | takes the indented lines below it:
//
//	text: |
//	  # Two lines
//	  of Markdown
//
// The lines of a step:
//
//	when: COND        the step only answers calls for which this holds; others pass it by
//	expect: COND      must hold of the call, else it is refused and a violation
//	repeat: 3         answers three calls; "repeat: forever" all that are left
//	text: TEXT        part of the answer, streamed in pieces
//	reasoning: TEXT   part of the model's reasoning
//	tool: NAME {…}    a tool call with its arguments; "tool: NAME id=ID {…}" names its id
//	delay: 200ms      a pause at this place
//	hang              nothing more until the client leaves
//	cut               the connection is closed here (FIN, in the middle of the body)
//	reset             the connection is reset here (RST)
//	flush             what was said so far is sent, or the headers alone
//	comment: TEXT     an SSE comment, as keep-alives are
//	wire: "…"         bytes sent as they are, a Go string literal; no end is added
//	error: MESSAGE    an error in the middle of the stream
//	finish: REASON    the finish reason; "finish: none" ends without one
//	usage: P C        prompt and completion tokens, and after them, where wanted, parts of
//	                  them and dollars: cached=N reasoning=N cost=D; "usage: none" reports none
//	split: 3          runes in a piece (default: words; 12 for arguments)
//	pace: 10ms        pause between pieces
//	plain             one JSON document instead of a stream
//	forget            reasoning that was sealed before this step is refused from here on
//	status: 429       HTTP status; the step then answers "body"
//	header: N: V      a response header
//	body: TEXT        the response body
//
// A call that asks for the title of a conversation, which comes by itself after that has ended,
// is answered in a standard way and not among [Server.Requests], unless a step with a "when"
// takes it, as with: when: system contains "TITLE:"
//
// A COND is SUBJECT VERB "TEXT": the subject is system, user (the last message), assistant,
// "tool result" (the last), "any message", "all messages" (the whole history as text), tools
// (the names of those that may be called), model, body, or "header NAME"; the verb contains, is, matches (RE2),
// each with not before it to deny it; and, on their own, "no tools" (none may be called), "no tool
// result", "no result yet" (no tool was called since the last user message), "messages N".
package llmtest
