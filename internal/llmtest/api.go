package llmtest

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// api is a protocol that a Server speaks, by the path of a request.
type api struct {
	path     string
	read     func(rec *Request) error               // a request in the words of chat completions
	problems func(s *Server, rec *Request) []string // what is refused
	status   int                                    // of a refusal; 0: the Endpoint's, as the words are
	error    func(message string) string            // its body
	sealed   string                                 // the words for reasoning that can no longer be read
	voice    func(p *player, rec *Request) voice    // how it is answered
}

var apis = []*api{
	{
		path: "/chat/completions", voice: newChatVoice,
		read:     func(rec *Request) error { return json.Unmarshal(rec.Body, rec.Chat) },
		problems: func(s *Server, rec *Request) []string { return s.opts.Endpoint.refuses(rec.Body, &s.memory) },
	},
	{
		path: "/messages", voice: newMessagesVoice, read: readMessages, problems: messagesProblems,
		status: http.StatusBadRequest, error: anthropicError, sealed: signatureWords,
	},
	{
		path: "/responses", voice: newResponsesVoice, read: readResponses, problems: responsesProblems,
		status: http.StatusBadRequest, error: openaiError,
		sealed: "The encrypted content gAAA...DQ== could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
	},
}

// apiOf returns the protocol of a model call; nil if it is none.
func apiOf(r *http.Request) *api {
	for _, a := range apis {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, a.path) {
			return a
		}
	}
	return nil
}

// reject refuses a model call in the words of its protocol; empty: of reasoning that can no longer be read.
func (s *Server) reject(w http.ResponseWriter, a *api, message string) {
	if e := s.opts.Endpoint; a.status == 0 {
		reply(w, e.Status, e.Error(cmp.Or(message, e.Sealed)))
		return
	}
	reply(w, a.status, a.error(cmp.Or(message, a.sealed)))
}

// native is what a Server remembers of what it said over the APIs of their own, and of the prompts it has
// in its cache.
type native struct {
	mu      sync.Mutex
	thought map[string][]map[string]any // what came before a call and belongs to it, by the call's id
	model   map[string]string           // which model made it, by signature or encrypted content
	whole   map[string]string           // what it was made of: the JSON of the block
	cached  map[string]bool             // beginnings of prompts
	nth     int

	forgotten map[string]bool // seals that are refused
}

func (n *native) lock() func() {
	n.mu.Lock()
	if n.thought == nil {
		n.thought, n.model, n.whole, n.cached = map[string][]map[string]any{}, map[string]string{}, map[string]string{}, map[string]bool{}
	}
	return n.mu.Unlock
}

// sign remembers a block of reasoning that a model made, by what it is sealed with.
func (n *native) sign(seal, model string, block map[string]any) {
	defer n.lock()()
	n.model[seal], n.whole[seal] = model, document(block)
}

var sealInBytes = regexp.MustCompile(`"(?:signature|data|encrypted_content)"\s*:\s*"([^"]+)"`)

// signBytes remembers the reasoning in bytes that are sent as they are, by its seals alone: what stands in
// it is for the test to compare.
func (n *native) signBytes(model, sent string) {
	defer n.lock()()
	for _, match := range sealInBytes.FindAllStringSubmatch(sent, -1) {
		n.model[match[1]] = model
	}
}

// sealed says what is wrong with a block of reasoning that comes back; empty: nothing.
func (n *native) sealed(seal, model string, block map[string]any) string {
	defer n.lock()()
	switch {
	case n.model[seal] == "":
		return "it was not made here"
	case n.model[seal] != model:
		return "it was made by another model, " + n.model[seal]
	case n.whole[seal] != "" && n.whole[seal] != document(block):
		return "it was changed: " + document(block)
	}
	return ""
}

// maker is the model that made a block of reasoning; empty: none here did.
func (n *native) maker(block map[string]any) string {
	defer n.lock()()
	return n.model[sealOf(block)]
}

// sealOf is what a block of reasoning is sealed with.
func sealOf(block map[string]any) string {
	return str(block["signature"]) + str(block["data"]) + str(block["encrypted_content"])
}

// signatureWords is what Anthropic says of a signature that it did not make, or no longer knows
// (anthropics/anthropic-sdk-python#1598).
const signatureWords = "messages.1.content.0: Invalid `signature` in `thinking` block"

// forget makes all that was sealed unknown, that over chat completions too.
func (n *native) forget(chat []string) {
	defer n.lock()()
	if n.forgotten == nil {
		n.forgotten = map[string]bool{}
	}
	for seal := range n.model {
		n.forgotten[seal] = true
	}
	for _, seal := range chat {
		n.forgotten[seal] = true
	}
	clear(n.model)
	clear(n.whole)
	clear(n.thought)
}

// stale reports whether a request holds reasoning whose seal was forgotten.
func (n *native) stale(body []byte) bool {
	defer n.lock()()
	return slices.ContainsFunc(sealsIn(body), func(seal string) bool { return n.forgotten[seal] })
}

// sealsIn returns the seals in a piece of JSON, those of Gemini and OpenRouter included.
func sealsIn(body []byte) (seals []string) {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return nil
	}
	var walk func(v any)
	walk = func(v any) {
		for _, e := range list(v) {
			walk(e)
		}
		for name, e := range object(v) {
			switch name {
			case "signature", "data", "encrypted_content", "thought_signature":
				seals = append(seals, str(e))
			default:
				walk(e)
			}
		}
	}
	walk(v)
	return seals
}

func (n *native) seal() string {
	defer n.lock()()
	n.nth++
	return fmt.Sprintf("c2VhbA+/%d<&>==", n.nth)
}

func (n *native) belongs(call string, blocks []map[string]any) {
	defer n.lock()()
	n.thought[call] = append([]map[string]any{}, blocks...)
}

func (n *native) before(call string) ([]map[string]any, bool) {
	defer n.lock()()
	b, ok := n.thought[call]
	return b, ok
}

// piece is a part of a prompt as a cache sees it.
type piece struct {
	text   string
	marked bool // what comes up to its end is to be kept
}

// ownVoice is what the voices of the own APIs have in common.
type ownVoice struct {
	*player
	pieces  []piece          // of the prompt
	prompt  *Tokens          // what that is counted as
	written int              // of them: kept from now on
	thought []map[string]any // since the last call
	stop    string
	stopped bool
}

// tokens returns what the step says was used, else what the prompt is counted as and what was said so far, four
// bytes a token; and how many tokens of the prompt are kept from now on.
func (v *ownVoice) tokens() (t Tokens, written int) {
	if v.prompt == nil {
		read, kept := v.srv.native.cache(v.pieces)
		all := 0
		for _, p := range v.pieces {
			all += len(p.text)
		}
		v.prompt, v.written = &Tokens{Prompt: all / 4, Cached: read / 4}, kept/4
	}
	if v.usage != nil && v.usage.Prompt >= 0 {
		return *v.usage, 0
	}
	t = *v.prompt
	t.Completion = v.said/4 + 1
	return t, v.written
}

// thinks notes a block of reasoning.
func (v *ownVoice) thinks(seal string, block map[string]any) {
	v.srv.native.sign(seal, v.chat.Model, block)
	v.thought = append(v.thought, block)
}

// called notes that the reasoning so far belongs to a call.
func (v *ownVoice) called(id string) {
	v.srv.native.belongs(id, v.thought)
	v.thought = nil
}

func (v *ownVoice) finish(reason string) bool {
	v.stop, v.stopped = reason, true
	return true
}

// lookBack is how many pieces before a mark are looked at for one that is known.
const lookBack = 20

// cache looks a prompt up and keeps it. The result is in bytes: how much was known, and how much is kept
// beyond that.
func (n *native) cache(pieces []piece) (read, written int) {
	defer n.lock()()
	sum := sha256.New()
	keys, ends := make([]string, len(pieces)), make([]int, len(pieces))
	size := 0
	for i, p := range pieces {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(p.text), p.text)
		size += len(p.text)
		keys[i], ends[i] = string(sum.Sum(nil)), size
	}
	last := 0
	for i, p := range pieces {
		if !p.marked {
			continue
		}
		last = ends[i]
		for j := i; j >= 0 && j > i-lookBack; j-- {
			if n.cached[keys[j]] {
				read = max(read, ends[j])
				break
			}
		}
	}
	for i, p := range pieces {
		if p.marked {
			n.cached[keys[i]] = true
		}
	}
	return read, max(0, last-read)
}
