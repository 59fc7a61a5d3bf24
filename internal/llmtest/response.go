package llmtest

import "chatvault/agent/llm"

// Add merges a stream chunk into r.
func Add(r *llm.Response, c llm.Chunk) {
	r.Text += c.Text
	r.Reasoning += c.Reasoning
	if d := c.ToolCall; d != nil {
		for len(r.ToolCalls) <= d.Index {
			r.ToolCalls = append(r.ToolCalls, llm.ToolCall{})
		}
		t := &r.ToolCalls[d.Index]
		if d.ID != "" {
			t.ID = d.ID
		}
		if d.Name != "" {
			t.Name = d.Name
		}
		t.Arguments += d.Arguments
	}
	if c.Usage != nil {
		r.Usage, r.HasUsage = *c.Usage, true
	}
	if c.Echo != nil {
		r.Echo = c.Echo
	}
	if c.Finish != "" {
		r.Finish = c.Finish
	}
}
