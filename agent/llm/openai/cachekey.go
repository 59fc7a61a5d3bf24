package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// openAIHost takes what others refuse: prompt_cache_key, and a tool choice beside tools.
const openAIHost = "api.openai.com"

// withCacheKey is a model call that says which calls begin as it does: go-openai has no name for it.
func withCacheKey(req *http.Request, key string) (*http.Request, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if err := req.Body.Close(); err != nil {
		return nil, err
	}
	if rest, ok := bytes.CutPrefix(body, []byte("{")); ok {
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		body = append(append(append([]byte(`{"prompt_cache_key":`), name...), ','), rest...)
	}
	req = req.Clone(req.Context())
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, err = req.GetBody()
	return req, err
}
