package ask

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

// Notification is a desktop notification about the end of a request.
type Notification struct {
	Status int    // exit status
	Vault  string // name; empty if none was opened
	Said   string // the last message, or empty if no text of the notes may be shown
}

const (
	maxNotified = 300 // runes of a text
	notifyTime  = 5 * time.Second
)

// outcomes describe exit statuses. Others are those of signals.
var outcomes = map[int]string{
	0: "answered", Failed: "failed", 2: "not started", Waiting: "a question is waiting", Refused: "a change was refused", Short: "not finished",
}

// lines returns the summary and the body. The body may contain markup, so its characters are escaped, and so is the
// backslash, as notify-send has escapes of its own.
func (n Notification) lines() (summary, body string) {
	body = strings.TrimSpace(terminal.StrictLine(n.Vault) + "\n" + terminal.StrictLine(text.Excerpt(n.Said, maxNotified)))
	return "chatvault: " + cmp.Or(outcomes[n.Status], "stopped"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, "∖").Replace(body)
}

// Send shows the notification with notify-send.
func (n Notification) Send() error {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	summary, body := n.lines()
	out, err := exec.CommandContext(ctx, "notify-send", "--app-name=chatvault", "--", summary, body).CombinedOutput()
	if err != nil {
		said := err.Error() + ": " + text.Excerpt(string(out), maxNotified)
		return errors.New("no desktop notification: " + strings.TrimSuffix(said, ": "))
	}
	return nil
}
