package endpoint

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"chatvault/internal/base/text"
)

// Preset holds the known facts of a provider, so that its name suffices to configure it.
type Preset struct {
	Name     string
	Title    string // "Google Gemini"
	BaseURL  string
	KeyEnv   string // environment variable of its key; may be empty
	Model    string // default; empty means the first listed one
	NeedsKey bool
	API      API      // empty means Chat
	Slashed  bool     // model names contain a slash
	Family   []string // prefixes of model names that only this provider has
	// Responses are prefixes of models that accept tools over Chat only without reasoning.
	Responses []string
}

// Presets are the known providers. Without a configured one, the first with a key in the environment is used, then the
// first local one that runs.
var Presets = []Preset{
	{Name: "openai", Title: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", Model: "gpt-5.2", NeedsKey: true, Family: []string{"gpt-3", "gpt-4", "gpt-5", "gpt-6", "chatgpt-", "o1", "o3", "o4"}, Responses: []string{"gpt-5.4", "gpt-5.5", "gpt-5.6", "gpt-6", "o1-pro", "o3-pro"}},
	{Name: "anthropic", Title: "Anthropic", BaseURL: "https://api.anthropic.com/v1", KeyEnv: "ANTHROPIC_API_KEY", API: Messages, Model: "claude-sonnet-4-5", NeedsKey: true, Family: []string{"claude-"}},
	{Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY", Model: "openrouter/auto", NeedsKey: true, Slashed: true},
	{Name: "gemini", Title: "Google Gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyEnv: "GEMINI_API_KEY", Model: "gemini-2.5-flash", NeedsKey: true, Family: []string{"gemini-"}},
	{Name: "groq", Title: "Groq", BaseURL: "https://api.groq.com/openai/v1", KeyEnv: "GROQ_API_KEY", Model: "openai/gpt-oss-120b", NeedsKey: true, Slashed: true},
	{Name: "mistral", Title: "Mistral", BaseURL: "https://api.mistral.ai/v1", KeyEnv: "MISTRAL_API_KEY", Model: "mistral-large-latest", NeedsKey: true},
	{Name: "deepseek", Title: "DeepSeek", BaseURL: "https://api.deepseek.com/v1", KeyEnv: "DEEPSEEK_API_KEY", Model: "deepseek-flash", NeedsKey: true},
	{Name: "ollama", Title: "Ollama", BaseURL: "http://127.0.0.1:11434/v1"},
	{Name: "lmstudio", Title: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1"},
	{Name: LlamaCpp, Title: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1"},
	{Name: "vllm", Title: "vLLM", BaseURL: "http://127.0.0.1:8000/v1"},
	{Name: "jan", Title: "Jan", BaseURL: "http://127.0.0.1:1337/v1"},
}

// LocalPresets returns the servers on this computer at their usual ports, or at the addresses in list, if it is not
// empty: NAME=BASE_URL several times, or "off" for none.
func LocalPresets(list string) []Preset {
	var local []Preset
	for _, p := range Presets {
		if list != "" {
			_, address, _ := strings.Cut(" "+list, " "+p.Name+"=")
			p.BaseURL, _, _ = strings.Cut(address, " ")
		}
		if !p.NeedsKey && p.BaseURL != "" {
			local = append(local, p)
		}
	}
	return local
}

// Address returns the title of a local server and its port, as in "Ollama 11434".
func (p Preset) Address() string {
	_, port, _ := strings.Cut(strings.TrimPrefix(p.BaseURL, "http://"), ":")
	return p.Title + " " + strings.TrimSuffix(port, "/v1")
}

// FindPreset finds a preset by name, ignoring case.
func FindPreset(name string) (Preset, bool) {
	return presetWith(func(p Preset) bool { return strings.EqualFold(p.Name, strings.TrimSpace(name)) })
}

func presetWith(fits func(Preset) bool) (Preset, bool) {
	if i := slices.IndexFunc(Presets, fits); i >= 0 {
		return Presets[i], true
	}
	return Preset{}, false
}

// Family returns the provider that alone has models with such a name, or "".
func Family(model string) string {
	p, _ := presetWith(func(p Preset) bool { return hasPrefix(model, p.Family) })
	return p.Name
}

func hasPrefix(model string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(model, prefix) })
}

// DefaultAPI returns the API for a model if none is configured: that of the preset whose host is in baseURL, or else of
// the preset with the provider's name.
func DefaultAPI(name, baseURL, model string) API {
	p, ok := AtHost(baseURL)
	if !ok {
		if p, _ = FindPreset(name); p.API == "" { // elsewhere the API may differ
			return Chat
		}
	}
	if hasPrefix(model, p.Responses) {
		return Responses
	}
	return cmp.Or(p.API, Chat)
}

// AtHost returns the preset with the host of a base URL.
func AtHost(baseURL string) (Preset, bool) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return Preset{}, false
	}
	return presetWith(func(p Preset) bool {
		known, err := url.Parse(p.BaseURL)
		return err == nil && strings.EqualFold(known.Host, u.Host)
	})
}

// Slashed reports whether the model names of a provider contain a slash.
func Slashed(name string) bool {
	p, _ := FindPreset(name)
	return p.Slashed
}

// KeyEnv returns the usual variable for the key of an endpoint: that of the preset with the host of baseURL or, if
// there is none, with the given name. It may be empty.
func KeyEnv(name, baseURL string) string {
	if p, ok := AtHost(baseURL); ok {
		return p.KeyEnv
	}
	p, _ := FindPreset(name)
	return p.KeyEnv
}

// PresetNames returns the names of all presets.
func PresetNames() []string {
	return text.Of(Presets, func(p Preset) string { return p.Name })
}
