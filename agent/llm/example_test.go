package llm_test

import (
	"fmt"
	"time"

	"chatvault/agent/llm"
)

// A failed call is retried if that may help, after the delay that the server asks for.
func ExampleRetryPolicy_Next() {
	busy := &llm.Error{Kind: llm.KindRateLimit, RetryAfter: 5 * time.Second}
	fmt.Println(llm.DefaultRetry.Next(1, busy))
	fmt.Println(llm.DefaultRetry.Next(1, &llm.Error{Kind: llm.KindAuth}))
	// Output:
	// 5s true
	// 0s false
}
