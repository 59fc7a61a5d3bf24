package llmtest

import (
	"regexp"
	"sync"
)

// memory is what a server said with its calls, so that it knows what is its own when it comes back.
type memory struct {
	mu   sync.Mutex
	said map[string]said // by the id of the call
}

// said is what came with a call: what is wanted back with its message, and with the call.
type said struct {
	message, call map[string]any
	thoughts      string // that the content began with
	unchecked     bool   // it came in bytes that the server does not understand
}

// of is what was said with a call; false: it is none of this server's.
func (m *memory) of(call map[string]any) (said, bool) {
	if m == nil {
		return said{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.said[str(call["id"])]
	if !ok { // it may be one that had no id
		s, ok = m.said[""]
	}
	return s, ok
}

func (m *memory) keep(id string, s said) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.said == nil {
		m.said = map[string]said{}
	}
	m.said[id] = s
}

// forget returns the seals of all that was said, which is not wanted back any more.
func (m *memory) forget() (seals []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, s := range m.said {
		seals = append(seals, sealsIn([]byte(document([]any{s.message, s.call})))...)
		m.said[id] = said{unchecked: true}
	}
	return seals
}

var idInBytes = regexp.MustCompile(`"id"\s*:\s*"([^"]*)"`)

// keepBytes knows the ids in bytes that were sent as they are.
func (m *memory) keepBytes(sent string) {
	for _, match := range idInBytes.FindAllStringSubmatch(sent, -1) {
		m.keep(match[1], said{unchecked: true})
	}
}
