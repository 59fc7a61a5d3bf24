package llmtest

import (
	"regexp"
	"sync"
)

// memory holds the fields that a server sent with its calls over chat completions, to check them when the client
// sends the calls back.
type memory struct {
	mu     sync.Mutex
	echoes map[string]echo // by call id
}

// echo holds the fields that a client must send back with the message of a call and with the call.
type echo struct {
	message, call map[string]any
	thoughts      string // reasoning that the content began with
	unchecked     bool   // the fields are unknown or forgotten, so they are not checked
}

// lookup returns the fields to send back with a call, and whether this server made the call. A nil m has no calls.
func (m *memory) lookup(call map[string]any) (echo, bool) {
	if m == nil {
		return echo{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.echoes[str(call["id"])]
	if !ok { // the call may have been sent without an id
		s, ok = m.echoes[""]
	}
	return s, ok
}

func (m *memory) record(id string, s echo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.echoes == nil {
		m.echoes = map[string]echo{}
	}
	m.echoes[id] = s
}

// forget stops checking the calls sent so far and returns their seals.
func (m *memory) forget() (seals []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, s := range m.echoes {
		seals = append(seals, sealsIn([]byte(document([]any{s.message, s.call})))...)
		m.echoes[id] = echo{unchecked: true}
	}
	return seals
}

var idInBytes = regexp.MustCompile(`"id"\s*:\s*"([^"]*)"`)

// recordIDsIn records the call ids in the raw bytes of an answer, without checks.
func (m *memory) recordIDsIn(sent string) {
	for _, match := range idInBytes.FindAllStringSubmatch(sent, -1) {
		m.record(match[1], echo{unchecked: true})
	}
}
