package smarthole

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatvault/internal/loopback"
	"chatvault/internal/text"
)

// DefaultURL is where SmartHole listens.
const DefaultURL = "ws://127.0.0.1:9473"

// Bounds of the protocol.
const (
	maxFrame       = 1 << 20 // bytes of a frame
	maxName        = 64
	maxDescription = 1024 // characters
)

// Types of frames.
const (
	typeRegistration = "registration"
	typeRegistered   = "registration_response"
	typeMessage      = "message"
	typeResponse     = "response"
	typePing         = "ping"
	typePong         = "pong"
)

// envelope is every frame: a type, and what goes with it.
type envelope struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Registration is how chatvault introduces itself.
type Registration struct {
	Name         string   `json:"name"`        // a letter, then letters, digits, '-' and '_', at most 64
	Description  string   `json:"description"` // 1 to 1,024 characters: what is routed here
	Version      string   `json:"version"`
	Capabilities []string `json:"capabilities"`
	Challenge    string   `json:"challenge,omitempty"` // what the proof is made of; empty: no proof is asked for
}

// Check says what SmartHole would refuse.
func (r Registration) Check() error {
	if err := CheckName(r.Name); err != nil {
		return err
	}
	return CheckDescription(r.Description)
}

// CheckName says why a name cannot be registered.
func CheckName(name string) error {
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	bad := name == "" || len(name) > maxName || !letter(name[0])
	for i := 0; !bad && i < len(name); i++ {
		c := name[i]
		bad = !letter(c) && (c < '0' || c > '9') && c != '-' && c != '_'
	}
	if bad {
		return errors.New("must be a letter, then letters, digits, '-' and '_', 64 characters at most")
	}
	return nil
}

// CheckDescription says why a description cannot be registered.
func CheckDescription(s string) error {
	if n := utf8.RuneCountInString(s); n == 0 || n > maxDescription {
		return fmt.Errorf("must have 1 to %d characters, not %d", maxDescription, n)
	}
	return nil
}

// CheckURL says why an address is none of a SmartHole on this computer.
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

// refusals are the codes of refused registrations: what they mean for the user, with the registered name for NAME, and
// whether trying again with the same registration cannot help.
var refusals = map[string]struct {
	said    string
	forGood bool
}{
	"INVALID_NAME":        {"SmartHole rejected the name NAME; choose another (smarthole.name)", true},
	"INVALID_DESCRIPTION": {"SmartHole rejected the description; change it (smarthole.description)", true},
	"VALIDATION_ERROR":    {"SmartHole refused the registration (VALIDATION_ERROR)", true},
	"DUPLICATE_NAME":      {"another program is registered as NAME; end it, or choose another name (smarthole.name)", false},
	"ALREADY_REGISTERED":  {"SmartHole says that this connection is registered already", false},
}

// Refused is a registration that SmartHole refused.
type Refused struct {
	Code    string
	Message string // SmartHole's own words; may be empty
	Name    string // that was to be registered
}

func (r *Refused) Error() string {
	said := cmp.Or(refusals[r.Code].said, fmt.Sprintf("SmartHole refused the registration (%s)", r.Code))
	said = strings.ReplaceAll(said, "NAME;", strconv.Quote(r.Name)+";")
	if r.Message != "" {
		said += ": " + r.Message
	}
	return said
}

type registrationResponse struct {
	Success bool   `json:"success"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Proof   string `json:"proof"` // empty: SmartHole has no token
}

// Message is one that SmartHole routed here.
type Message struct {
	ID        string          `json:"id"`
	Text      string          `json:"text"`
	Timestamp json.RawMessage `json:"timestamp"` // RFC 3339, or milliseconds since 1970
	Metadata  Metadata        `json:"metadata"`
}

// Metadata says how a message came about.
type Metadata struct {
	InputMethod   string  `json:"inputMethod"` // "voice", "text"
	Confidence    float64 `json:"confidence"`
	RoutingReason string  `json:"routingReason"`
}

// Kinds of responses.
const (
	kindAck          = "ack"
	kindReject       = "reject"
	kindNotification = "notification"
)

// response answers a message.
type response struct {
	MessageID string `json:"messageId"`
	Type      string `json:"type"`
	Payload   any    `json:"payload"`
}

type rejection struct {
	Reason string `json:"reason"`
}

// Priority is how pressing a notification is.
type Priority string

// The priorities.
const (
	Normal Priority = "normal"
	High   Priority = "high"
)

// Notification is what SmartHole shows or says to the user.
type Notification struct {
	Title    string   `json:"title"`
	Body     string   `json:"body"`
	Priority Priority `json:"priority"`
}

// maxBody bounds what a notification says, in bytes; the rest is in the conversation.
const maxBody = 16 << 10

// shorten cuts a text that is too long for a notification.
func shorten(body string) string {
	body = strings.ToValidUTF8(strings.TrimSpace(body), "�")
	if len(body) <= maxBody {
		return body
	}
	return text.Head(body, maxBody) + "… (the rest is in the chat)"
}
