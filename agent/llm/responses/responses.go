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
	return endpoint.NewEventProvider(opts, endpoint.Codec{API: endpoint.Responses, Names: form.Names, Body: body, Read: read, Back: back})
}

// An answer is a series of events.
type (
	event struct {
		Type     string          `json:"type"`
		Index    int             `json:"output_index"`
		Item     json.RawMessage `json:"item"`
		Delta    string          `json:"delta"`
		Response *response       `json:"response"`
	}
	response struct {
		Status     string          `json:"status"`
		Error      json.RawMessage `json:"error"`
		Incomplete *struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Usage *endpoint.Usage `json:"usage"`
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

// read implements endpoint.Codec.
func read(a *endpoint.Answer, raw []byte) (last bool) {
	var e event
	if err := json.Unmarshal(raw, &e); err != nil {
		a.Fail(endpoint.Garbled(raw, err))
	}
	switch e.Type {
	case "response.output_item.added":
		begin(a, e.Index, e.Item)
	case "response.output_item.done":
		done(a, e.Index, e.Item)
	case "response.output_text.delta", "response.refusal.delta":
		a.Refused = a.Refused || e.Type == "response.refusal.delta"
		a.Say(a.Part(e.Index, "message"), e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		a.Think(a.Part(e.Index, "reasoning"), e.Delta)
	case "response.reasoning_summary_part.added":
		if a.Thought {
			a.Think(a.Part(e.Index, "reasoning"), "\n\n")
		}
	case "response.function_call_arguments.delta":
		if p := a.Has(e.Index); p != nil && p.Kind == "function_call" {
			a.Add(p, e.Delta)
		}
	case "response.completed", "response.incomplete", "response.failed":
		if e.Response == nil {
			a.Fail(endpoint.CutOff())
			return true
		}
		end(a, e.Response)
		return true
	}
	return false
}

// begin begins an item if it is new.
func begin(a *endpoint.Answer, index int, raw json.RawMessage) (p *endpoint.Part, known item) {
	if err := json.Unmarshal(raw, &known); err != nil {
		a.Fail(endpoint.Garbled(raw, err))
	}
	p = a.Part(index, known.Type)
	if p.Kind == "function_call" {
		a.Begin(p, known.CallID, known.Name)
	}
	return p, known
}

// done ends an item and takes what did not come in pieces from the complete item.
func done(a *endpoint.Answer, index int, raw json.RawMessage) {
	p, known := begin(a, index, raw)
	switch p.Kind {
	case "function_call":
		a.Complete(p, known.Arguments)
	case "message":
		p.Phase = known.Phase
		if p.Text.Len() > 0 {
			return
		}
		for _, c := range known.Content {
			a.Refused = a.Refused || c.Refusal != ""
			a.Say(p, c.Text+c.Refusal)
		}
	case "reasoning":
		a.Progress()
		p.Raw = raw
		if a.Thought {
			return
		}
		for _, s := range known.Summary {
			a.Think(p, s.Text)
		}
	}
}

// end reads the end of the response.
func end(a *endpoint.Answer, doc *response) {
	a.Count(doc.Usage)
	switch doc.Status {
	case "completed":
		a.Finish = llm.FinishStop
	case "incomplete":
		a.Finish = llm.FinishLength
		if doc.Incomplete != nil {
			a.Finish = endpoint.FinishReason(doc.Incomplete.Reason)
		}
		if a.Finish == llm.FinishStop || a.Finish == "" { // for an unknown reason
			a.Finish = llm.FinishCut
		}
	default:
		a.Fail(endpoint.Failed(doc.Error))
	}
}

// back implements endpoint.Codec: reasoning that is not encrypted cannot go back, because the endpoint stored nothing.
func back(p *endpoint.Part) any {
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
