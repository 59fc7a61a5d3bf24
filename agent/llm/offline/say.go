package offline

import (
	"fmt"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/base/text"
)

// cite writes a citation: [[Note]] (path:line), without the line where it is 0.
func cite(file string, line int) string {
	at := file
	if line > 0 {
		at = fmt.Sprintf("%s:%d", file, line)
	}
	return fmt.Sprintf("[[%s]] (%s)", retrieval.Name(file), at)
}

// bullets formats items as a list.
func bullets(items []string) string {
	return strings.Join(text.Of(items, func(item string) string { return "- " + item }), "\n")
}
