package smarthole

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"chatvault/internal/base/loopback"
	"chatvault/internal/base/text"
)

// DefaultURL is SmartHole's default address.
const DefaultURL = "ws://127.0.0.1:9473"

// maxFrame is the maximum size of a frame, in bytes.
const maxFrame = 1 << 20

// envelope is a frame.
type envelope struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Registration registers chatvault with SmartHole.
type Registration struct {
	Name         string   `json:"name"`        // a letter, then letters, digits, '-' and '_', at most 64
	Description  string   `json:"description"` // 1 to 1,024 characters: what is routed here
	Version      string   `json:"version"`
	Capabilities []string `json:"capabilities"`
	Challenge    string   `json:"challenge,omitempty"` // for the proof; empty if none is required
}

// CheckURL returns an error unless an address is on this computer.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "ws" || u.Host == "" {
		return fmt.Errorf("must be an address such as %s", DefaultURL)
	}
	if host := u.Hostname(); !loopback.Host(host) {
		return fmt.Errorf("must name this computer (127.0.0.1, ::1 or localhost), not %q: messages are routed here by a program on the same computer", host)
	}
	return nil
}

type registrationResponse struct {
	Success bool   `json:"success"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Proof   string `json:"proof"` // empty if SmartHole has no token
}

// Message is a message that SmartHole routed here.
type Message struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Metadata Metadata `json:"metadata"`
}

// Metadata describes the origin of a message.
type Metadata struct {
	InputMethod string `json:"inputMethod"` // "voice", "text"
	Sender      string `json:"sender"`      // a name, where several people take part
}

// response answers a message.
type response struct {
	MessageID string `json:"messageId"`
	Type      string `json:"type"` // ack, reject or notification
	Payload   any    `json:"payload"`
}

// Priority is the urgency of a notification.
type Priority string

// The priorities.
const (
	Normal Priority = "normal"
	High   Priority = "high"
)

// Notification is a text that SmartHole shows or speaks.
type Notification struct {
	Title    string   `json:"title"`
	Body     string   `json:"body"`
	Priority Priority `json:"priority"`
}

// maxBody is the maximum length of a notification, in bytes. The rest is in the conversation.
const maxBody = 16 << 10

// shorten cuts a text that is too long for a notification.
func shorten(body string) string {
	body = strings.ToValidUTF8(strings.TrimSpace(body), "�")
	if len(body) <= maxBody {
		return body
	}
	return text.Head(body, maxBody) + "… (the rest is in the chat)"
}
