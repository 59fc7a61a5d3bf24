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

// api is a protocol that a Server supports, selected by the path of a request.
type api struct {
	path     string
	read     func(rec *Request) error               // fills rec.Chat from the request body
	problems func(s *Server, rec *Request) []string // returns the reasons to refuse the request
	status   int                                    // HTTP status of a refusal; zero uses the Endpoint's status and error body
	error    func(message string) string            // returns the body of a refusal
	sealed   string                                 // error message for reasoning that can no longer be decrypted
	voice    func(p *player, rec *Request) voice    // returns the encoder of the answer
}

var apis = []*api{
	{
		path: "/chat/completions", voice: newChatVoice,
		read:     func(rec *Request) error { return json.Unmarshal(rec.Body, rec.Chat) },
		problems: func(s *Server, rec *Request) []string { return s.opts.Endpoint.refuses(rec.Body, &s.memory) },
	},
	{
		path: "/messages", voice: newMessagesVoice, read: readMessages, problems: messagesProblems,
		status: http.StatusBadRequest, error: anthropicError, sealed: signatureError,
	},
	{
		path: "/responses", voice: newResponsesVoice, read: readResponses, problems: responsesProblems,
		status: http.StatusBadRequest, error: openaiError,
		sealed: "The encrypted content gAAA...DQ== could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
	},
}

// apiOf returns the protocol of a model call, or nil if r is not a model call.
func apiOf(r *http.Request) *api {
	for _, a := range apis {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, a.path) {
			return a
		}
	}
	return nil
}

// reject sends message as an error of the protocol. An empty message stands for the protocol's error about
// reasoning that can no longer be decrypted.
func (s *Server) reject(w http.ResponseWriter, a *api, message string) {
	if e := s.opts.Endpoint; a.status == 0 {
		reply(w, e.Status, e.Error(cmp.Or(message, e.Sealed)))
		return
	}
	reply(w, a.status, a.error(cmp.Or(message, a.sealed)))
}

// nativeMemory holds the reasoning that a Server sent over the Messages and Responses APIs, and the prompts in
// its cache. A seal is the signature or the encrypted content of a block of reasoning.
type nativeMemory struct {
	mu        sync.Mutex
	reasoning map[string][]map[string]any // reasoning blocks sent before a call, by the call's id
	sealModel map[string]string           // the model that made a block, by seal
	sealBlock map[string]string           // JSON of the block, by seal
	cached    map[string]bool             // hashes of prompt prefixes
	nth       int                         // seals made so far

	forgotten map[string]bool // seals that are now refused
}

// lock locks n, creates its maps if needed and returns the function that unlocks it.
func (n *nativeMemory) lock() func() {
	n.mu.Lock()
	if n.reasoning == nil {
		n.reasoning, n.sealModel, n.sealBlock, n.cached = map[string][]map[string]any{}, map[string]string{}, map[string]string{}, map[string]bool{}
	}
	return n.mu.Unlock
}

// recordSeal records a block of reasoning, its seal and the model that made it.
func (n *nativeMemory) recordSeal(seal, model string, block map[string]any) {
	defer n.lock()()
	n.sealModel[seal], n.sealBlock[seal] = model, document(block)
}

var sealInBytes = regexp.MustCompile(`"(?:signature|data|encrypted_content)"\s*:\s*"([^"]+)"`)

// recordSealsIn records the seals in the raw bytes of an answer. It does not parse the blocks, so checkSeal does
// not detect changes to them.
func (n *nativeMemory) recordSealsIn(model, sent string) {
	defer n.lock()()
	for _, match := range sealInBytes.FindAllStringSubmatch(sent, -1) {
		n.sealModel[match[1]] = model
	}
}

// checkSeal returns the error of a block of reasoning that a client sent back, or "" if it is valid.
func (n *nativeMemory) checkSeal(seal, model string, block map[string]any) string {
	defer n.lock()()
	switch {
	case n.sealModel[seal] == "":
		return "it was not made here"
	case n.sealModel[seal] != model:
		return "it was made by another model, " + n.sealModel[seal]
	case n.sealBlock[seal] != "" && n.sealBlock[seal] != document(block):
		return "it was changed: " + document(block)
	}
	return ""
}

// modelOf returns the model that made a block of reasoning, or "" if the block did not come from this server.
func (n *nativeMemory) modelOf(block map[string]any) string {
	defer n.lock()()
	return n.sealModel[sealOf(block)]
}

// sealOf returns the seal of a block of reasoning, or "" if it has none.
func sealOf(block map[string]any) string {
	return str(block["signature"]) + str(block["data"]) + str(block["encrypted_content"])
}

// signatureError is Anthropic's error message for a signature that it did not make or no longer accepts
// (anthropics/anthropic-sdk-python#1598).
const signatureError = "messages.1.content.0: Invalid `signature` in `thinking` block"

// forget invalidates all seals recorded so far, and those in chat, which were sent over chat completions.
func (n *nativeMemory) forget(chat []string) {
	defer n.lock()()
	if n.forgotten == nil {
		n.forgotten = map[string]bool{}
	}
	for seal := range n.sealModel {
		n.forgotten[seal] = true
	}
	for _, seal := range chat {
		n.forgotten[seal] = true
	}
	clear(n.sealModel)
	clear(n.sealBlock)
	clear(n.reasoning)
}

// hasForgotten reports whether a request contains reasoning with a forgotten seal.
func (n *nativeMemory) hasForgotten(body []byte) bool {
	defer n.lock()()
	return slices.ContainsFunc(sealsIn(body), func(seal string) bool { return n.forgotten[seal] })
}

// sealsIn returns the seals in a JSON document, including those of Gemini and OpenRouter. It returns nil if body is
// not valid JSON.
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

// newSeal returns a unique seal. It contains characters that some encoders escape: + / < & > =.
func (n *nativeMemory) newSeal() string {
	defer n.lock()()
	n.nth++
	return fmt.Sprintf("c2VhbA+/%d<&>==", n.nth)
}

// recordCall records the reasoning that precedes a call.
func (n *nativeMemory) recordCall(call string, blocks []map[string]any) {
	defer n.lock()()
	n.reasoning[call] = append([]map[string]any{}, blocks...)
}

// reasoningBefore returns the reasoning that precedes a call, and whether this server made the call.
func (n *nativeMemory) reasoningBefore(call string) ([]map[string]any, bool) {
	defer n.lock()()
	b, ok := n.reasoning[call]
	return b, ok
}

// piece is a unit of a prompt in the prompt cache, such as a tool or a content block.
type piece struct {
	text   string
	marked bool // whether the prompt up to the end of the piece is to be cached
}

// nativeVoice is the part that messagesVoice and responsesVoice share.
type nativeVoice struct {
	*player
	pieces       []piece          // the prompt
	prompt       *Tokens          // estimated usage; nil until tokens computes it
	cacheWritten int              // prompt tokens that this call adds to the cache
	pending      []map[string]any // reasoning blocks since the last call
	stop         string           // finish reason set by the step
	stopped      bool             // whether the step set one
}

// tokens returns the usage that the step sets, or else an estimate at four bytes a token for the prompt and the
// output so far. written is the number of prompt tokens that this call adds to the cache.
func (v *nativeVoice) tokens() (t Tokens, written int) {
	if v.prompt == nil {
		read, kept := v.srv.native.cachePrompt(v.pieces)
		all := 0
		for _, p := range v.pieces {
			all += len(p.text)
		}
		v.prompt, v.cacheWritten = &Tokens{Prompt: all / 4, Cached: read / 4}, kept/4
	}
	if v.usage != nil && v.usage.Prompt >= 0 {
		return *v.usage, 0
	}
	t = *v.prompt
	t.Completion = v.outputBytes/4 + 1
	return t, v.cacheWritten
}

// addReasoning records a block of reasoning and its seal.
func (v *nativeVoice) addReasoning(seal string, block map[string]any) {
	v.srv.native.recordSeal(seal, v.chat.Model, block)
	v.pending = append(v.pending, block)
}

// attachReasoning records that the reasoning since the last call precedes the call with this id.
func (v *nativeVoice) attachReasoning(id string) {
	v.srv.native.recordCall(id, v.pending)
	v.pending = nil
}

func (v *nativeVoice) finish(reason string) bool {
	v.stop, v.stopped = reason, true
	return true
}

// lookBack is the number of pieces, counted back from a marked one, that a cache lookup examines.
const lookBack = 20

// cachePrompt looks up the longest cached prefix of a prompt and caches its marked prefixes. read is the length of
// the prefix found, written the length of what was added beyond it, both in bytes.
func (n *nativeMemory) cachePrompt(pieces []piece) (read, written int) {
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
