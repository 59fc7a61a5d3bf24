// Package offline is the embedded engine: an llm.Provider that needs no key and no network. It is no language model.
//
// It answers questions with passages of the notes and their citations, lists notes, tasks, links and tags by filters,
// and carries out the commands of a closed table (see Forms). A sentence that looks like a change and has none of these
// forms changes nothing: the answer is the nearest form, filled in. The same history over the same notes gives the
// same response.
package offline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/retrieval"
)

// Name is the provider's name on the screen.
const Name = "offline engine"

// Engine is the embedded engine. It is safe for concurrent use and keeps nothing of a conversation.
type Engine struct {
	index *retrieval.Index
	now   func() time.Time // for messages without a time

	mu      sync.Mutex
	catalog *catalog // of the notes at the last request
}

// current returns the catalog of the notes in the index.
func (e *Engine) current() *catalog {
	e.mu.Lock()
	defer e.mu.Unlock()
	entries := e.index.Entries()
	if c := e.catalog; c == nil || len(c.entries) != len(entries) || len(entries) > 0 && &c.entries[0] != &entries[0] {
		e.catalog = newCatalog(entries)
	}
	return e.catalog
}

var _ llm.Windowed = (*Engine)(nil)

// New returns an engine over an index. It reads no note before the first request.
func New(index *retrieval.Index) *Engine { return &Engine{index: index, now: time.Now} }

// Name implements llm.Provider.
func (e *Engine) Name() string { return Name }

// Window implements llm.Windowed: any history fits.
func (e *Engine) Window() int { return 100 << 20 }

// Sees implements llm.Sighted: the engine reads no pictures.
func (e *Engine) Sees(string) (sees, known bool) { return false, true }

// Stream implements llm.Provider.
func (e *Engine) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		r, err := e.respond(ctx, req)
		if ctx.Err() != nil {
			yield(llm.Chunk{}, &llm.Error{Kind: llm.KindAborted, Err: context.Cause(ctx)})
			return
		}
		if err != nil {
			yield(llm.Chunk{}, &llm.Error{Kind: llm.KindInvalidRequest, Final: true, Message: err.Error(), Err: err})
			return
		}
		if r.Text != "" && !yield(llm.Chunk{Text: r.Text}, nil) {
			return
		}
		for i, c := range r.ToolCalls {
			if !yield(llm.Chunk{ToolCall: &llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments}}, nil) {
				return
			}
		}
		yield(llm.Chunk{Usage: &llm.Usage{}, Finish: cmp.Or(r.Finish, llm.FinishStop), Suggest: r.Suggest}, nil)
	}
}

// reply is the response to a message: a text, or a tool call to run first.
type reply struct {
	text    string
	call    *call
	step    string // what the call does, as a step of a plan
	suggest string // a command for the composer
	unable  bool
}

func sayf(format string, a ...any) reply { return reply{text: fmt.Sprintf(format, a...)} }

func unablef(format string, a ...any) reply {
	return reply{text: fmt.Sprintf(format, a...), unable: true}
}

// respond returns the response to a request: the replies to the messages of the newest turn, or the first tool call
// that one of them needs.
func (e *Engine) respond(ctx context.Context, req llm.Request) (llm.Response, error) {
	input := ""
	if n := len(req.Messages); n > 0 {
		input = req.Messages[n-1].Content
	}
	if text, ok := aside(req.Purpose, input); ok {
		return llm.Response{Text: text}, nil
	}
	if err := e.index.Refresh(ctx); err != nil {
		return llm.Response{}, fmt.Errorf("the notes could not be read: %w", err)
	}
	t := latestTurn(req.Messages)
	if len(t.messages) == 0 {
		return llm.Response{Text: "Ask something about your notes, or say **help**."}, nil
	}
	s := &session{ctx: ctx, index: e.index, catalog: e.current(), plan: planned(req.Messages), purpose: req.Purpose, tools: map[string]bool{}}
	for _, tool := range req.Tools {
		s.tools[tool.Name] = !req.NoCalls
	}
	var out []string
	var resp llm.Response
	for i, m := range t.messages {
		if s.now = m.time; s.now.IsZero() {
			s.now = e.now()
		}
		r := s.reply(t, i)
		if err := ctx.Err(); err != nil {
			return llm.Response{}, err
		}
		if r.call != nil {
			arguments, err := json.Marshal(r.call.args)
			id := fmt.Sprintf("offline-%d-%d", len(req.Messages), i)
			return llm.Response{Finish: llm.FinishToolCalls, ToolCalls: []llm.ToolCall{{ID: id, Name: r.call.tool, Arguments: string(arguments)}}}, err
		}
		if r.unable {
			resp.Finish = llm.FinishUnable
		}
		resp.Suggest = cmp.Or(r.suggest, resp.Suggest)
		out = append(out, strings.TrimSpace(r.text))
	}
	resp.Text = strings.Join(out, "\n\n")
	return resp, nil
}

// session is one request over the notes.
type session struct {
	ctx     context.Context
	index   *retrieval.Index
	now     time.Time
	plan    string // the request that the latest plan was made for
	purpose llm.Purpose
	tools   map[string]bool // the available tools
	text    string          // of the message that is answered
	catalog *catalog
}

// reply answers message i of a turn.
func (s *session) reply(t turn, i int) reply {
	m := t.messages[i]
	if s.text = m.text; m.approvesPlan() {
		s.text = s.plan
	}
	s.text = spelled(s.text)
	if c := t.callFor(i); c != nil {
		return s.report(*c)
	}
	if m.approvesPlan() && s.text == "" {
		return unablef("There is no plan to carry out.")
	}
	r := s.answer(s.text)
	done, planning := m.attempted(), s.purpose == llm.PurposePlan
	switch {
	case r.step != "" && done != "":
		return unablef("An earlier attempt at this ended early, so I do not repeat it. %s Check the note, then ask again if something is missing.", done)
	case r.step != "" && planning:
		return sayf("%s\n\n1. %s", planHead, r.step)
	case r.call != nil && !s.tools[r.call.tool]:
		return unablef("I cannot do this now: the tool %s is not available here.", r.call.tool)
	case planning && r.call == nil:
		r.text = noPlan + "\n\n" + r.text
	}
	return r
}

// answer replies to a text.
func (s *session) answer(text string) reply {
	for _, kind := range []func(string) (reply, bool){s.talk, s.command, s.list} {
		if r, ok := kind(text); ok {
			return r
		}
	}
	return s.question(text)
}

// Beginnings of the text of a plan.
const (
	planHead = "**Plan**, nothing is changed yet:"
	noPlan   = llm.NoPlan + ": there is nothing to carry out."
)

// planned returns the request that the latest plan was made for.
func planned(messages []llm.Message) (request string) {
	asked := ""
	for _, m := range messages {
		switch {
		case m.Role == llm.RoleUser && !m.Program:
			asked = m.Content
		case m.Role == llm.RoleAssistant && strings.HasPrefix(m.Content, planHead):
			request = asked
		}
	}
	return request
}
