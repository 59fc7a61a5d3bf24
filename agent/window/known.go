// Package window estimates the size of requests in tokens, divides a model's context window, and shortens tool
// results to fit. It knows messages (agent/llm) and nothing of turns.
package window

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"chatvault/agent/llm"
	"chatvault/internal/base/lazyregexp"
)

// Known holds what this process has found out about models: the window that a refusal named, and the ratio of the
// provider's token counts to our estimates. It is safe for concurrent use.
type Known struct {
	mu    sync.Mutex
	known map[string]measured // by llm.Provider.Name
}

// measured holds what was found out about a model.
type measured struct {
	window int     // tokens as the provider counts them; zero means unknown
	guess  bool    // window is only known to be less than a refused request
	ratio  float64 // its tokens per token of our estimate; zero means unknown
	// For a server that truncates requests instead of refusing them:
	cuts    int // consecutive calls for which it counted too few tokens
	toldCut bool
}

// Smallest is the smallest number in a message that is taken for a window, in tokens.
const Smallest = 1024

const (
	largestWindow = 100 << 20 // the largest such number

	// In very short requests, the provider's own additions distort the ratio.
	measurable = 1000 // estimated tokens
	maxRatio   = 3
)

// Room returns the room in a provider's window, in estimated tokens. configured is the user's setting; zero means
// none.
func (w *Known) Room(p llm.Provider, configured int) Room {
	m, size := w.of(p), w.Size(p, configured)
	r := RoomIn(int(float64(size) / max(1, m.ratio)))
	r.Known = w.size(p, configured) > 0 && (!m.guess || m.window != size)
	return r
}

func (w *Known) of(p llm.Provider) measured {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known[p.Name()]
}

// Size returns a provider's window in its own tokens, or Assumed if it is unknown.
func (w *Known) Size(p llm.Provider, configured int) int {
	return cmp.Or(w.size(p, configured), Assumed)
}

// size is Size, except that it returns 0 if the window is unknown.
func (w *Known) size(p llm.Provider, configured int) int {
	window := configured
	if k, ok := p.(llm.Windowed); ok && window == 0 {
		window = k.Window()
	}
	bounds := []int{w.of(p).window}
	if k, ok := p.(interface{ Runs() int }); ok {
		bounds = append(bounds, k.Runs())
	}
	for _, n := range bounds { // it never has more than the server
		if n > 0 && (window == 0 || n < window) {
			window = n
		}
	}
	return max(window, 0)
}

// Refused records that a model refused a request of sent estimated tokens as too long. If words do not name its window,
// that is assumed to be smaller than the request.
func (w *Known) Refused(name string, sent int, words string) {
	window, named := From(words)
	w.change(name, func(m *measured) {
		if !named {
			window = max(Smallest, int(float64(sent)*max(1, m.ratio)*0.9))
		}
		if named || m.window == 0 || window < m.window {
			m.window, m.guess = window, !named
		}
	})
}

// Taken records that a model accepted a request of sent estimated tokens, and how many tokens the provider counted.
func (w *Known) Taken(name string, sent int, u llm.Usage) {
	if u.Estimated || u.PromptTokens <= 0 {
		return
	}
	w.change(name, func(m *measured) {
		if sent >= measurable {
			m.ratio = min(maxRatio, float64(u.PromptTokens)/float64(sent))
		}
		if total := u.PromptTokens + u.CompletionTokens; m.window > 0 && total > m.window {
			m.window = total // the assumed one was too small
		}
	})
}

func (w *Known) change(name string, f func(*measured)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil {
		w.known = map[string]measured{}
	}
	m := w.known[name]
	f(&m)
	w.known[name] = m
}

// windowWords match the phrases in which providers name a model's window when a request exceeds it; the group is the
// number. The most specific ones come first.
var windowWords = []func() *regexp.Regexp{
	// OpenAI, vLLM, DeepSeek, Groq, OpenRouter: This model's maximum context length is 8192 tokens.
	// vLLM: context length is only 4096. LM Studio: loaded with context length of only 4096 tokens.
	// xAI: maximum prompt length is 131072.
	lazyregexp.New(`(?i)(?:context|model|sequence|maximum prompt) (?:length|window|size) ?(?:is|of|:|=)? ?(?:only )?` + windowNumber),
	// OpenAI: Input tokens exceed the configured limit of 272000 tokens.
	lazyregexp.New(`(?i)tokens exceeds? (?:the |its )?(?:configured |token |model )?limit of ` + windowNumber),
	// Anthropic: prompt is too long: 213462 tokens > 200000 maximum
	lazyregexp.New(`(?i)[\d,]+ tokens? ?> ?` + windowNumber),
	// Anthropic: input length and max_tokens exceed context limit: 190000 + 20000 > 200000
	lazyregexp.New(`(?i)exceeds? (?:the )?context limit:? ?[\d,]+ ?\+ ?[\d,]+ ?> ?` + windowNumber),
	// llama.cpp: request (9000 tokens) exceeds the available context size (8192 tokens)
	lazyregexp.New(`(?i)(?:available|maximum) context (?:size|length|window) ?\(` + windowNumber),
	// Gemini: exceeds the maximum number of tokens allowed (1048576)
	lazyregexp.New(`(?i)maximum number of (?:input )?tokens (?:allowed |supported )?\(?` + windowNumber),
	// Mistral: too large for model with 32768 maximum context length
	lazyregexp.New(`(?i)model with ` + windowNumber + ` (?:tokens )?maximum context`),
	// llama-cpp-python: Requested tokens (9000) exceed context window of 8192
	lazyregexp.New(`(?i)exceeds? (?:the )?(?:maximum |model )?(?:context )?(?:window|limit|length|size) of (?:only )?` + windowNumber),
	// Together: `inputs` tokens + `max_new_tokens` must be <= 8193
	lazyregexp.New(`(?i)tokens.{0,40} must be (?:<=|at most|less than) ?` + windowNumber),
	// llama.cpp's n_ctx, vLLM's max_model_len, Ollama's num_ctx
	lazyregexp.New(`(?i)\b(?:n_ctx|max_model_len|num_ctx)\b["' :=(]{0,5}` + windowNumber),
}

const windowNumber = `(\d[\d,_]*)`

// From returns the window in tokens that a provider's error message names.
func From(words string) (int, bool) {
	if perMinute().MatchString(words) {
		return 0, false // a limit of rate, not of length
	}
	for _, re := range windowWords {
		m := re().FindStringSubmatch(words)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(m[1]))
		if err == nil && n >= Smallest && n <= largestWindow {
			return n, true
		}
	}
	return 0, false
}

var perMinute = lazyregexp.New(`(?i)per[ -](?:minute|hour|day)|\bTPM\b`)

// Assumed is the window in tokens if none is known. A model with a smaller one refuses the request.
const Assumed = 128_000

// Room divides a model's window, in estimated tokens. A request may grow to Shorten; then results of earlier steps are
// shortened until it is down to Shortened. In between, what was sent before stays the same, so that a provider can cache
// it.
type Room struct {
	Window    int  // prompt and answer together
	Known     bool // Window is the model's own, not Assumed
	Shorten   int
	Shortened int
	Compact   int // above it older messages are replaced by a summary; the rest is for the answer
	Recent    int // tokens of the newest messages that are kept when older ones are replaced
	Worth     int // a summary of less is not made
}

// RoomIn divides a window of so many tokens.
func RoomIn(window int) Room {
	return Room{
		Window:    window,
		Shorten:   window * 60 / 100,
		Shortened: window * 40 / 100,
		Compact:   window * 80 / 100,
		Recent:    window * 15 / 100,
		Worth:     window * 10 / 100,
	}
}

const (
	// cutShare is the percentage of LeastTokens below which a server's count shows that it truncated the request.
	cutShare = 70
	// cutsInRow is how many consecutive calls must show that.
	cutsInRow = 2
)

// Cut records how many tokens a server counted of a request of at least least tokens, and reports, once, that it
// truncates what it is sent.
func (w *Known) Cut(name string, least int, u llm.Usage) bool {
	if u.Estimated || u.PromptTokens < Smallest || least < measurable { // too few to be the size of a window
		return false
	}
	now := false
	w.change(name, func(m *measured) {
		apart := u.CachedTokens >= u.PromptTokens // no prompt is in the cache to its last token
		if apart || u.PromptTokens*100 >= least*cutShare {
			m.cuts = 0
			return
		}
		m.cuts++
		now = m.cuts >= cutsInRow && !m.toldCut
		m.toldCut = m.toldCut || now
	})
	return now
}

// LeastTokens is a lower bound of RequestTokens for any tokenizer: four characters make a token, a run of one mark or
// space is one character, and reasoning counts nothing, since many chat templates drop it.
func LeastTokens(req llm.Request) int {
	n := 0
	for _, m := range req.Messages {
		n += least(m.Prompt())
		for _, c := range m.ToolCalls {
			n += least(c.Name) + least(c.Arguments)
		}
	}
	for _, t := range req.Tools {
		n += least(t.Description) + least(string(t.Parameters))
	}
	return n
}

func least(s string) int {
	n, before := 0, utf8.RuneError
	for _, r := range s {
		if r != before || unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
		before = r
	}
	return n / 4
}
