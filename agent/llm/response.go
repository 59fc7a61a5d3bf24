package llm

// Response is a whole model response, put together from chunks.
type Response struct {
	Text      string
	Reasoning string
	ToolCalls []ToolCall
	Usage     Usage
	HasUsage  bool
	Echo      *Echo
	Finish    FinishReason
}

// Add puts a chunk into the response.
func (r *Response) Add(c Chunk) {
	r.Text += c.Text
	r.Reasoning += c.Reasoning
	if d := c.ToolCall; d != nil && d.Index >= 0 {
		for len(r.ToolCalls) <= d.Index {
			r.ToolCalls = append(r.ToolCalls, ToolCall{})
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
