package session

import (
	"fmt"
	"path/filepath"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/atomicfile"
)

// CrashReport writes what is known of a fault for whoever mends it, and says where.
func (a *Session) CrashReport(version string, value any, stack []byte) string {
	name := "crash-" + time.Now().UTC().Format("20060102-150405") + ".txt"
	text := llm.Redact(fmt.Sprintf("chatvault %s\n\n%v\n\n%s", version, value, stack))
	if err := atomicfile.WriteFile(a.state, name, []byte(text), 0o600); err != nil {
		return "The report could not be written: " + err.Error()
	}
	return "Your messages are safe. A report is in " + filepath.Join(a.state.Name(), name)
}
