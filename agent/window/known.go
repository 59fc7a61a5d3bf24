package window

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"chatvault/agent/llm"
	"chatvault/internal/lazyregexp"
)

// Known remembers, while the process lives, what was found out about models: the window that
// a refusal named, and how our estimate of tokens compares with what the provider counts. It is
// safe for concurrent use.
type Known struct {
	mu    sync.Mutex
	known map[string]measured // by llm.Provider.Name
}

// measured is what was found out about one model.
type measured struct {
	window int     // tokens as it counts them; 0: nothing is known
	ratio  float64 // its tokens to one of ours; 0: not known
	// Of a server that leaves out what does not fit, and answers all the same:
	cuts    int // calls in a row of which it counted too little
	toldCut bool
}

// Smallest is the smallest window taken for one, in tokens: what is less is another number.
const Smallest = 1024

const (
	largestWindow = 100 << 20 // what is more is no window but another number

	// Of very short requests the ratio says more about the provider's own additions.
	measurable = 1000 // estimated tokens
	maxRatio   = 3
)

// Room is the room in a provider's window, in our tokens. configured is what the user said it
// is, 0 where they said nothing.
func (w *Known) Room(p llm.Provider, configured int) Room {
	w.mu.Lock()
	ratio := w.known[p.Name()].ratio
	w.mu.Unlock()
	return RoomIn(int(float64(w.Size(p, configured)) / max(1, ratio)))
}

// Size is a provider's window in its own tokens, as far as that is known, or taken for granted.
func (w *Known) Size(p llm.Provider, configured int) int {
	w.mu.Lock()
	known := w.known[p.Name()]
	w.mu.Unlock()
	window := configured
	if k, ok := p.(llm.Windowed); ok && window == 0 {
		window = k.Window()
	}
	if known.window > 0 && (window == 0 || known.window < window) {
		window = known.window
	}
	if window <= 0 {
		window = Assumed
	}
	return window
}

// Refused takes note that a model refused a request of so many of our tokens as too long, with
// these words, and says whether they name its window. Where they do not, it is taken to be less
// than was sent.
func (w *Known) Refused(name string, sent int, words string) (named bool) {
	window, named := From(words)
	w.change(name, func(m *measured) {
		if !named {
			window = max(Smallest, int(float64(sent)*max(1, m.ratio)*0.9))
		}
		if named || m.window == 0 || window < m.window {
			m.window = window
		}
	})
	return named
}

// Taken takes note that a model took a request of so many of our tokens, and how many it
// counted.
func (w *Known) Taken(name string, sent int, u llm.Usage) {
	if u.Estimated || u.PromptTokens <= 0 {
		return
	}
	w.change(name, func(m *measured) {
		if sent >= measurable {
			m.ratio = min(maxRatio, float64(u.PromptTokens)/float64(sent))
		}
		if total := u.PromptTokens + u.CompletionTokens; m.window > 0 && total > m.window {
			m.window = total // what was assumed was too little
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

// windowWords are how providers name a model's window when a request exceeds it; the number is
// what the group holds. In order: more telling ones first.
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

// From finds the window of a model in the words with which its provider refused a request
// as too long, in tokens; false where they do not say.
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
