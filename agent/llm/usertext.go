package llm

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"chatvault/internal/base/text"
)

// failureText describes a kind of failure to the user: its cause, and the next step, which may be empty.
type failureText struct{ cause, next string }

// kinds has the texts for failures whose reason has none.
var kinds = map[Kind]failureText{
	KindAuth:           {"API key is missing or invalid", ""},
	KindRateLimit:      {"Too many requests. Please try again in a moment.", "send the message again in a minute, or choose another model."},
	KindNetwork:        {"Network error. Please check your internet connection.", "send the message again when the connection is back; it is kept in the inbox."},
	KindInvalidRequest: {"The provider refused the request.", "choose another model, or send the message in other words; chatvault.log has the whole answer."},
}

// reasons has the texts for reasons.
var reasons = map[Reason]failureText{
	ReasonDenied:        {"The provider denies access", "check with the provider what this key is allowed to do, or choose another model."},
	ReasonQuota:         {"The quota is used up or a payment is due.", "add credit or raise the limit at the provider, or choose another provider or model."},
	ReasonOverloaded:    {"The provider is overloaded or not ready.", retryLater},
	ReasonServer:        {"The provider had an internal error.", retryLater},
	ReasonUnreachable:   {"Nothing answers at the provider's address.", "check that the server runs and that base_url is its address" + resend + "."},
	ReasonSilent:        {"The provider did not answer in time.", retryLater},
	ReasonBroken:        {"The answer was incomplete.", retryLater},
	ReasonCertificate:   {"No secure connection to the provider.", "check the address in base_url, the clock of this machine and its certificates; a proxy may be in between."},
	ReasonProxy:         {"The proxy refused the connection.", "check the proxy in HTTPS_PROXY, and its user name and password."},
	ReasonNotAnAPI:      {"No model answers at this address.", "check base_url (most end in /v1), and whether a proxy or a login page is in between."},
	ReasonModelNotFound: {"The provider does not have this model.", "choose a model the provider has, with /model in the chat, --model or model in config.toml."},
	ReasonNoProvider:    {"No provider is set up for this model.", "set the key of its provider, name it as provider/model, or start a local server; chatvault doctor checks it."},
	ReasonNoModel:       {"No model is named.", "name a model of this provider, with --model or model in config.toml; the chat asks for it."},
	ReasonNoTools:       {"This model cannot use tools.", "choose a model that can use tools, with /model in the chat, --model or model in config.toml."},
	ReasonToolsOff:      {"The model server was started without tool calls.", ""},
	ReasonNoSight:       {"This model cannot see pictures.", "choose a model that can see pictures, with /model in the chat, --model or model in config.toml."},
	ReasonContextLength: {"The conversation is too long for the model.", newConversation + ", or choose a model with a larger window."},
	ReasonTooLarge:      {"This is too large to send or receive.", "ask for less at once, or for one note at a time."},
	ReasonSettings:      {"The provider's settings are invalid.", "fix the settings of this provider in config.toml; chatvault doctor checks them."},
	ReasonSealed:        {"The provider refuses the model's earlier reasoning.", newConversation + ", or choose another model."},
	ReasonFiltered:      {"The provider's content filter refused the request.", "send the message in other words, or choose another model."},
	ReasonBadCall:       {"The model wrote an invalid tool call.", "send the message again, or choose another model."},
}

const (
	// newConversation is the way to leave a conversation, in the chat or on the command line.
	newConversation = "start a new conversation (/new in the chat; chatvault ask without -c)"
	retryLater      = "send the message again in a minute, or choose another model; it is kept in the inbox."
	// resend ends the next step after a failure that the user has to fix first.
	resend = ", then send the message again; it is kept in the inbox"
)

func heading(kind Kind, reason Reason) string {
	return cmp.Or(reasons[reason].cause, kinds[kind].cause, "The model call failed.")
}

// Cause returns a failure in a few words without a full stop: "The provider is overloaded".
func Cause(kind Kind, reason Reason) string {
	text, _, _ := strings.Cut(heading(kind, reason), ".")
	return text
}

// UserText returns what the user sees of a failed model call, in lines: its cause, the provider's words, and the next
// step. It is empty for KindAborted. It contains a key only if Message does; callers must sanitize it for the terminal.
func UserText(e *Error) string {
	if e == nil || e.Kind == KindAborted {
		return ""
	}
	lines := []string{heading(e.Kind, e.Reason)}
	if e.First && e.Reason == ReasonContextLength {
		lines[0] = "The message is too long for the model."
	}
	if e.Last != "" {
		lines = append(lines, "Last failure: "+e.Last)
	}
	if reason := strings.TrimSpace(e.Message); reason != "" {
		lines = append(lines, "Reason: "+reason)
	}
	return strings.Join(append(lines, nextStep(e)), "\n")
}

// Some returns the first names and the number of the others.
func Some(names []string) string { return text.First(names, 8) }

// Remedy returns what to do before sending the message again, if the reason determines it and waiting does not help,
// or "".
func Remedy(e *Error) string {
	switch next := reasons[e.Reason].next; {
	case e.Reason == ReasonToolsOff:
		return toolFlags(e.Message)
	case e.Reason != ReasonContextLength && next != retryLater:
		step, _, _ := strings.Cut(strings.TrimSuffix(next, "."), resend)
		return step
	}
	return ""
}

// nextStep returns the next step.
func nextStep(e *Error) string {
	next := cmp.Or(reasons[e.Reason].next, kinds[e.Kind].next, "send the message again; it is kept in the inbox.")
	switch {
	case e.RetryAfter > 0 && !e.Final && (e.Kind == KindRateLimit || e.Kind == KindNetwork):
		next = when(e.RetryAfter)
	case e.Reason == ReasonToolsOff:
		next = toolFlags(e.Message) + resend + "."
	case e.First && e.Reason == ReasonContextLength:
		next = "send a shorter message, or choose a model with a larger window."
	case e.Kind == KindAuth && e.Reason == ReasonNone:
		next = cmp.Or(e.SetKey, "set the key of this provider, with OPENAI_API_KEY or api_key_env in config.toml") + "; chatvault doctor checks it."
	}
	return "Next: " + next
}

// when returns when to try again, given the wait d that the server requested.
func when(d time.Duration) string {
	seconds := max(1, int(d.Round(time.Second).Seconds()))
	wait := text.Count(seconds, "second")
	if seconds >= 2*60 {
		wait = text.Count((seconds+59)/60, "minute")
	}
	if seconds >= 2*3600 {
		wait = text.Count((seconds+3599)/3600, "hour")
	}
	return "send the message again in " + wait + ", or choose another model."
}

// widening has the ways to enlarge the window of a local server, by provider.
var widening = map[string]string{
	"ollama":    "start Ollama with OLLAMA_CONTEXT_LENGTH=16384 in its environment, or set num_ctx in the model's Modelfile",
	"lmstudio":  "load the model in LM Studio with a larger Context Length",
	"llama.cpp": "start llama-server with a larger -c (--ctx-size)",
	"vllm":      "start vLLM with a larger --max-model-len",
}

// Widen returns the way to enlarge a model's window at a provider, as part of a sentence.
func Widen(provider string) string {
	provider, _, _ = strings.Cut(provider, "/")
	if how, ok := widening[strings.ToLower(provider)]; ok {
		return how
	}
	return "raise the context length in the server's settings (of Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx)"
}

// toolFlags returns the way to start a server with tool calls, given its refusal.
func toolFlags(refusal string) string {
	switch {
	case strings.Contains(refusal, "--jinja"):
		return "start llama-server with --jinja"
	case strings.Contains(refusal, "--enable-auto-tool-choice"):
		return "start vLLM with --enable-auto-tool-choice and the --tool-call-parser of your model"
	case strings.Contains(refusal, "--tool-call-parser"):
		return "start the server with the --tool-call-parser of your model"
	}
	return "update llama.cpp and start llama-server with --jinja"
}

// CutText returns the warning about a server that counted fewer tokens than it was sent.
func CutText(name string, sent, counted int) string {
	return fmt.Sprintf("%s counted only %s of at least %s tokens sent, twice in a row: it seems to silently drop what does not fit its window, so it may miss parts of your conversation and notes. To fix it: %s; or set context_window in config.toml to its actual window.",
		name, text.Thousands(counted), text.Thousands(sent), Widen(name))
}
