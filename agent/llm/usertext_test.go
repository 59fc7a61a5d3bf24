package llm

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestUserText(t *testing.T) {
	for _, c := range []struct {
		err  Error
		want []string // in this order
	}{
		{Error{Kind: KindAuth, Message: "no such key"}, []string{"API key is missing or invalid", "no such key", "OPENAI_API_KEY"}},
		{Error{Kind: KindAuth, SetKey: "set ANTHROPIC_API_KEY in the environment"}, []string{"API key is missing or invalid", "Next: set ANTHROPIC_API_KEY in the environment; chatvault doctor checks it."}},
		{Error{Kind: KindRateLimit}, []string{"Too many requests. Please try again in a moment.", "Next: send the message again in a minute"}},
		{Error{Kind: KindRateLimit, RetryAfter: 30 * time.Second}, []string{"Too many", "in 30 seconds"}},
		{Error{Kind: KindRateLimit, RetryAfter: time.Hour}, []string{"Too many", "in 60 minutes"}},
		{Error{Kind: KindRateLimit, RetryAfter: 5 * time.Hour}, []string{"Too many", "in 5 hours"}},
		{Error{Kind: KindRateLimit, RetryAfter: time.Millisecond}, []string{"in 1 second,"}},
		{Error{Kind: KindRateLimit, Reason: ReasonQuota, Message: "no credit"}, []string{"The quota is used up or a payment is due.", "no credit", "add credit"}},
		{Error{Kind: KindNetwork, Err: errors.New("dial")}, []string{"Network error. Please check your internet connection.", "inbox"}},
		{Error{Kind: KindNetwork, RetryAfter: 9 * time.Second}, []string{"Network error.", "in 9 seconds"}},
		{Error{Kind: KindNetwork, Reason: ReasonCertificate}, []string{"No secure connection", "certificates"}},
		{Error{Kind: KindNetwork, Reason: ReasonNotAnAPI}, []string{"No model answers at this address.", "base_url"}},
		{Error{Kind: KindInvalidRequest, Message: "no such field"}, []string{"The provider refused the request.", "no such field", "choose another model"}},
		{Error{Kind: KindNetwork, Reason: ReasonOverloaded}, []string{"The provider is overloaded or not ready.", "in a minute"}},
		{Error{Kind: KindRateLimit, Reason: ReasonOverloaded, RetryAfter: 9 * time.Second}, []string{"The provider is overloaded or not ready.", "in 9 seconds"}},
		{Error{Kind: KindNetwork, Reason: ReasonServer, Message: "HTTP 500"}, []string{"The provider had an internal error.", "HTTP 500", "in a minute"}},
		{Error{Kind: KindNetwork, Reason: ReasonUnreachable}, []string{"Nothing answers at the provider's address.", "the server runs"}},
		{Error{Kind: KindNetwork, Reason: ReasonSilent}, []string{"The provider did not answer in time.", "again"}},
		{Error{Kind: KindNetwork, Reason: ReasonBroken}, []string{"The answer was incomplete.", "again"}},
		{Error{Kind: KindNetwork, Reason: ReasonProxy}, []string{"The proxy refused the connection.", "HTTPS_PROXY"}},
		{Error{Kind: KindAuth, Reason: ReasonDenied}, []string{"The provider denies access", "what this key is allowed to do"}},
		{Error{Kind: KindAuth, SetKey: "change api_key (c.toml:3)"}, []string{"API key is missing or invalid", "Next: change api_key (c.toml:3)"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonNoModel}, []string{"No model is named.", "--model"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonNoSight}, []string{"This model cannot see pictures.", "--model"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonNoTools}, []string{"This model cannot use tools.", "--model"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonToolsOff, Message: "tools param requires --jinja flag"}, []string{"started without tool calls.", "Next: start llama-server with --jinja, then"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonToolsOff, Message: `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`}, []string{"Next: start vLLM with --enable-auto-tool-choice and the --tool-call-parser of"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonToolsOff, Message: "set --tool-call-parser"}, []string{"Next: start the server with the --tool-call-parser of"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonToolsOff, Message: "Unsupported param: tools"}, []string{"Next: update llama.cpp and"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonSettings}, []string{"The provider's settings are invalid.", "config.toml"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonContextLength}, []string{"The conversation is too long for the model.", "/new"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonModelNotFound}, []string{"The provider does not have this model.", "--model"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonTooLarge}, []string{"This is too large", "less at once"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonContextLength, First: true}, []string{"The message is too long for the model.", "Next: send a shorter message, or"}},
		{Error{Kind: KindAuth, SetKey: "set GROQ_API_KEY", Last: "groq/x"}, []string{"Last failure: groq/x", "Next: set GROQ_API_KEY;"}},
		{Error{Kind: "unheard of"}, []string{"The model call failed.", "again"}},
	} {
		rest := UserText(&c.err)
		for _, w := range c.want {
			_, after, ok := strings.Cut(rest, w)
			if !ok {
				t.Errorf("%+v: %q is missing or out of order in %q", c.err, w, UserText(&c.err))
				break
			}
			rest = after
		}
	}
	for kind := range kinds {
		for _, reason := range append(slices.Collect(maps.Keys(reasons)), ReasonNone) {
			text := UserText(&Error{Kind: kind, Reason: reason})
			if connection := kind == KindNetwork && reason == ReasonNone; strings.Contains(text, "connection") && strings.Contains(text, "internet") != connection {
				t.Errorf("%s %s: %q", kind, reason, text)
			}
		}
	}
	if s := UserText(&Error{Kind: KindAborted, Message: "x"}) + UserText(nil); s != "" {
		t.Errorf("a stopped turn shows %q", s)
	}
}
