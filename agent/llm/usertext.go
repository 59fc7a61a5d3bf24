package llm

import (
	"fmt"
	"strings"
	"time"
)

// texts are what the user reads first of each kind.
var texts = map[Kind]string{
	KindAuth:           "API key is missing or invalid",
	KindRateLimit:      "Too many requests. Please try again in a moment.",
	KindNetwork:        "Network error. Please check your internet connection.",
	KindInvalidRequest: "Unable to process request. The message may be too long.",
}

// UserText is what the user is shown of a failed model call, a line each: the text of its
// kind, the provider's reason where it gave one, and the next step. It is empty for
// KindAborted: the user stopped it and knows. It holds no key where Message holds none; a
// screen makes it safe as any untrusted text.
func UserText(e *Error) string {
	if e == nil || e.Kind == KindAborted {
		return ""
	}
	text, ok := texts[e.Kind]
	if !ok {
		text = texts[KindNetwork]
	}
	lines := []string{text}
	if e.Last != "" {
		lines = append(lines, "Failed last: "+e.Last)
	}
	if reason := strings.TrimSpace(e.Message); reason != "" {
		lines = append(lines, "Reason: "+reason)
	}
	return strings.Join(append(lines, nextStep(e)), "\n")
}

// beginAnew is how a conversation is left behind, wherever this is read.
const beginAnew = "start a new conversation (in the chat with /new; chatvault ask does without -c)"

// nextStep says what helps.
func nextStep(e *Error) string {
	switch e.Reason {
	case ReasonQuota:
		return "Next: add credit or raise the limit at the provider, or choose another provider or model."
	case ReasonModelNotFound:
		return "Next: choose a model the provider has, with --model or model in config.toml."
	case ReasonContextLength:
		if e.First {
			return "Next: send a shorter message, or choose a model with a larger window."
		}
		return "Next: " + beginAnew + ", or choose a model with a larger window."
	case ReasonCertificate:
		return "Next: check the address in base_url, the clock of this machine and its certificates; a proxy may be in between."
	case ReasonNotAnAPI:
		return "Next: check base_url (most end in /v1), and whether a proxy or a login page is in between."
	case ReasonTooLarge:
		return "Next: ask for less at once, or for one note at a time."
	}
	switch e.Kind {
	case KindAuth:
		name := e.KeyEnv
		if provider, _, _ := strings.Cut(e.Last, "/"); name == "" && provider != "" {
			return "Next: set the key of this provider, with api_key_env below [providers." + provider + "] in config.toml; chatvault doctor checks the first provider."
		}
		if name == "" {
			name = "OPENAI_API_KEY"
		}
		return "Next: set the key of this provider, with " + name + " or api_key_env in config.toml; chatvault doctor checks it."
	case KindRateLimit:
		return "Next: " + when(e.RetryAfter)
	case KindInvalidRequest:
		if e.First {
			return "Next: send a shorter message, or choose another model."
		}
		return "Next: send a shorter message, " + beginAnew + ", or choose another model."
	default:
		if e.RetryAfter > 0 {
			return "Next: " + when(e.RetryAfter)
		}
		return "Next: send the message again when the connection is back; it is kept in the inbox."
	}
}

// when says when to try again; d is what the server asked for, 0 where it did not.
func when(d time.Duration) string {
	if d <= 0 {
		return "send the message again in a minute, or choose another model."
	}
	d = max(time.Second, d.Round(time.Second))
	switch {
	case d == time.Second:
		return "send the message again in a second."
	case d < 2*time.Minute:
		return fmt.Sprintf("send the message again in %d seconds.", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("send the message again in %d minutes.", int((d+time.Minute-1)/time.Minute))
	default:
		return fmt.Sprintf("send the message again in %d hours, or choose another model.", int((d+time.Hour-1)/time.Hour))
	}
}
