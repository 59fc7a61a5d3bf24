// Package responses calls language models over OpenAI's Responses API, at OpenAI or any endpoint that has it. Nothing
// is stored there: reasoning comes encrypted and goes back unchanged, in its place, to the same model only.
package responses

import (
	"encoding/json"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
)

// New returns a provider without sending anything. The error names the invalid option and the remedy.
func New(opts endpoint.Options) (*endpoint.EventProvider, error) {
	return endpoint.NewEventProvider(opts, endpoint.Responses, body, form.Names, func(a *endpoint.Answer) endpoint.Reader {
		return &reader{Answer: a}
	})
}

// reader reads one response.
type reader struct {
	*endpoint.Answer
	thought bool // the response has reasoning
	refused bool // the response has a refusal
	usage   *llm.Usage
}

// An answer: events or, if the endpoint does not stream, the response.
type (
	event struct {
		Type     string          `json:"type"`
		Index    int             `json:"output_index"`
		Item     json.RawMessage `json:"item"`
		Delta    string          `json:"delta"`
		Response *response       `json:"response"`
		Object   string          `json:"object"`
	}
	response struct {
		Status     string          `json:"status"`
		Error      json.RawMessage `json:"error"`
		Incomplete *struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Output []json.RawMessage `json:"output"`
		Usage  *endpoint.Usage   `json:"usage"`
	}
	item struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
		Phase     string `json:"phase"`
		Content   []struct {
			Text    string `json:"text"`
			Refusal string `json:"refusal"`
		} `json:"content"`
		Summary []struct {
			Text string `json:"text"`
		} `json:"summary"`
	}
)

// Event implements endpoint.Reader.
func (r *reader) Event(raw []byte) (last bool, err error) {
	var e event
	if err := json.Unmarshal(raw, &e); err != nil {
		return false, endpoint.Garbled(raw, err)
	}
	switch e.Type {
	case "response.output_item.added":
		_, err = r.item(e.Index, e.Item)
	case "response.output_item.done":
		err = r.done(e.Index, e.Item)
	case "response.output_text.delta", "response.refusal.delta":
		r.refused = r.refused || e.Type == "response.refusal.delta"
		err = r.text(r.Part(e.Index, "message"), e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		r.Part(e.Index, "reasoning")
		err = r.reasoning(e.Delta)
	case "response.reasoning_summary_part.added":
		if r.thought {
			err = r.reasoning("\n\n")
		}
	case "response.function_call_arguments.delta":
		if it := r.Has(e.Index); it != nil && it.Kind == "function_call" {
			r.Progress()
			err = r.Add(it.Call, e.Delta)
		}
	case "response.completed", "response.incomplete", "response.failed":
		if e.Response == nil {
			return false, endpoint.CutOff()
		}
		return true, r.close(e.Response)
	case "":
		if e.Object == "response" {
			return true, r.document(raw)
		}
	}
	return false, err
}

// document reads an answer that is not streamed.
func (r *reader) document(raw []byte) error {
	var doc response
	if err := json.Unmarshal(raw, &doc); err != nil {
		return endpoint.Garbled(raw, err)
	}
	for i, it := range doc.Output {
		if err := r.done(i, it); err != nil {
			return err
		}
	}
	return r.close(&doc)
}

// item begins an item if it is new.
func (r *reader) item(index int, raw json.RawMessage) (item, error) {
	var known item
	if err := json.Unmarshal(raw, &known); err != nil {
		return known, endpoint.Garbled(raw, err)
	}
	it := r.Part(index, known.Type)
	if it.Kind != "function_call" || it.Begun {
		return known, nil
	}
	n, err := r.Begin(known.CallID, known.Name)
	it.Call, it.Begun = n, true
	return known, err
}

// done ends an item and takes what did not come in pieces from the complete item.
func (r *reader) done(index int, raw json.RawMessage) error {
	known, err := r.item(index, raw)
	if err != nil {
		return err
	}
	it := r.Has(index)
	switch it.Kind {
	case "function_call":
		if r.Empty(it.Call) {
			return r.Add(it.Call, known.Arguments)
		}
	case "message":
		it.Phase = known.Phase
		if it.Text.Len() > 0 {
			return nil
		}
		for _, c := range known.Content {
			r.refused = r.refused || c.Refusal != ""
			if err := r.text(it, c.Text+c.Refusal); err != nil {
				return err
			}
		}
	case "reasoning":
		r.Progress()
		it.Raw = raw
		if r.thought {
			return nil
		}
		for _, s := range known.Summary {
			if err := r.reasoning(s.Text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) text(it *endpoint.Part, piece string) error {
	if piece == "" {
		return nil
	}
	r.Progress()
	if it.Text.Len() == 0 {
		piece = r.Paragraph(piece)
	}
	it.Text.WriteString(piece)
	return r.Say(piece)
}

func (r *reader) reasoning(piece string) error {
	r.thought = true
	r.Progress()
	return r.Buffer(piece, "")
}

// close reads the end of the response.
func (r *reader) close(doc *response) error {
	r.usage = doc.Usage.Tokens()
	switch doc.Status {
	case "completed":
		if r.Finish = llm.FinishStop; r.refused {
			r.Finish = llm.FinishRefusal
		}
	case "incomplete":
		r.Finish = llm.FinishLength
		if doc.Incomplete != nil {
			r.Finish = endpoint.FinishReason(doc.Incomplete.Reason)
		}
		if r.Finish == llm.FinishStop || r.Finish == "" { // for an unknown reason
			r.Finish = llm.FinishCut
		}
	default:
		return endpoint.Failed(doc.Error)
	}
	return nil
}

// Usage implements endpoint.Reader.
func (r *reader) Usage() *llm.Usage { return r.usage }

// Back implements endpoint.Reader: reasoning that is not encrypted cannot go back, since the endpoint stored nothing of
// it.
func (r *reader) Back(p *endpoint.Part) any {
	var came map[string]json.RawMessage
	if p.Kind != "reasoning" || json.Unmarshal(p.Raw, &came) != nil || !given(came["encrypted_content"]) {
		return nil
	}
	out := map[string]json.RawMessage{}
	for _, name := range []string{"type", "id", "summary", "content", "encrypted_content"} {
		if given(came[name]) {
			out[name] = came[name]
		}
	}
	return out
}

func given(v json.RawMessage) bool { return len(v) > 0 && string(v) != "null" }
