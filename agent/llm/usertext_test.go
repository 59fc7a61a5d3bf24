package llm

import (
	"errors"
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
		{Error{Kind: KindAuth, KeyEnv: "ANTHROPIC_API_KEY"}, []string{"API key is missing or invalid", "with ANTHROPIC_API_KEY or"}},
		{Error{Kind: KindRateLimit}, []string{"Too many requests. Please try again in a moment.", "Next: send the message again in a minute"}},
		{Error{Kind: KindRateLimit, RetryAfter: 30 * time.Second}, []string{"Too many", "in 30 seconds"}},
		{Error{Kind: KindRateLimit, RetryAfter: time.Hour}, []string{"Too many", "in 60 minutes"}},
		{Error{Kind: KindRateLimit, RetryAfter: 5 * time.Hour}, []string{"Too many", "in 5 hours"}},
		{Error{Kind: KindRateLimit, RetryAfter: time.Millisecond}, []string{"in a second"}},
		{Error{Kind: KindRateLimit, Reason: ReasonQuota, Message: "no credit"}, []string{"Too many", "no credit", "add credit"}},
		{Error{Kind: KindNetwork, Err: errors.New("dial")}, []string{"Network error. Please check your internet connection.", "inbox"}},
		{Error{Kind: KindNetwork, RetryAfter: 9 * time.Second}, []string{"Network error.", "9 seconds"}},
		{Error{Kind: KindNetwork, Reason: ReasonCertificate}, []string{"Network error.", "certificates"}},
		{Error{Kind: KindNetwork, Reason: ReasonNotAnAPI}, []string{"Network error.", "base_url"}},
		{Error{Kind: KindInvalidRequest}, []string{"Unable to process request. The message may be too long.", "shorter"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonContextLength}, []string{"Unable", "/new"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonModelNotFound}, []string{"Unable", "--model"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonTooLarge}, []string{"Unable", "less at once"}},
		{Error{Kind: KindInvalidRequest, Reason: ReasonContextLength, First: true}, []string{"Unable", "Next: send a shorter message, or"}},
		{Error{Kind: KindInvalidRequest, First: true}, []string{"Unable", "Next: send a shorter message, or"}},
		{Error{Kind: KindAuth, Message: "bad key", Last: "third/last"}, []string{"API key", "Failed last: third/last", "bad key", "[providers.third]"}},
		{Error{Kind: KindAuth, KeyEnv: "GROQ_API_KEY", Last: "groq/x"}, []string{"Failed last: groq/x", "with GROQ_API_KEY or"}},
		{Error{Kind: "unheard of"}, []string{"Network error."}},
	} {
		rest := UserText(&c.err)
		for _, w := range c.want {
			_, after, ok := strings.Cut(rest, w)
			if !ok {
				t.Errorf("%+v: %q is missing (in order) in %q", c.err, w, UserText(&c.err))
				break
			}
			rest = after
		}
	}
	if s := UserText(&Error{Kind: KindAborted, Message: "x"}) + UserText(nil); s != "" {
		t.Errorf("a stop shows %q", s)
	}
}
