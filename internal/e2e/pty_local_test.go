package e2e

import (
	"testing"

	"chatvault/internal/llmtest"
)

// Without a key or configuration, the first screen names the model of a server on this computer, of each known kind,
// and it answers.
func TestChatFindsALocalServer(t *testing.T) {
	for _, kind := range []string{"ollama", "lmstudio", "llama.cpp", "vllm", "jan"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewWith(t, llmtest.Options{Endpoint: llmtest.EndpointOf(kind), Models: []string{"nomic-embed", "llama-70b"}}, llmtest.Reply("Hello from here."))
			c := openChat(t, chatOptions{bare: true, env: []string{"CHATVAULT_LOCAL_SERVERS=" + kind + "=" + srv.URL()}})
			c.WaitFor(kind+"/llama-70b", patience)
			c.WaitFor("chooses another", patience)
			c.send("hello")
			c.WaitFor("Hello from here.", patience)
		})
	}
}
