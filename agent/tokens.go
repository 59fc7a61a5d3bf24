package agent

import (
	"unicode/utf8"

	"chatvault/agent/llm"
)

// tokens estimates how many tokens a text is: about four bytes of English make one, and a
// character of most other scripts is one.
func tokens(s string) int {
	other := utf8.RuneCountInString(s)
	ascii := 0
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			ascii++
		}
	}
	return (ascii+3)/4 + other - ascii
}

// messageTokens estimates what a message adds to a request.
func messageTokens(m llm.Message) int {
	n := tokens(m.Prompt()) + 4
	for _, c := range m.ToolCalls {
		n += tokens(c.Name) + tokens(c.Arguments)
	}
	return n
}

// historyTokens estimates what messages come to.
func historyTokens(messages []llm.Message) int {
	n := 0
	for _, m := range messages {
		n += messageTokens(m)
	}
	return n
}

// specTokens estimates what the descriptions of tools add to a request.
func specTokens(specs []llm.ToolSpec) int {
	n := 0
	for _, t := range specs {
		n += tokens(t.Description) + tokens(string(t.Parameters))
	}
	return n
}

// requestTokens estimates a request.
func requestTokens(req llm.Request) int { return historyTokens(req.Messages) + specTokens(req.Tools) }

// estimate counts the tokens of a model call where a server reports none.
func estimate(req llm.Request, resp llm.Response) llm.Usage {
	out := tokens(resp.Text) + tokens(resp.Reasoning)
	for _, c := range resp.ToolCalls {
		out += tokens(c.Name) + tokens(c.Arguments)
	}
	return llm.Usage{PromptTokens: requestTokens(req), CompletionTokens: out, Estimated: true}
}
