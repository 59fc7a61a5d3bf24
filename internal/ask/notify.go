package ask

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
)

// Notification is a desktop notification about the end of a request.
type Notification struct{ Summary, Body string }

// maxNotified is the maximum length of a text in a notification, in runes.
const maxNotified = 300

// Notify returns the notification for an exit status, the vault's name and the last message, which is empty if no
// text of the notes may be shown.
func Notify(status int, vault, said string) Notification {
	how, next := "failed", "chatvault inbox list shows whether the message was kept."
	switch status {
	case 0:
		how, next = "answered", ""
	case usage:
		how, next = "not started", "The command or the configuration is wrong."
	case Waiting:
		how, next = "a question is waiting", `Answer with: chatvault ask -c "…"`
	case Refused:
		how, next = "a change was refused", "Nobody was there to give consent."
	case Short:
		how, next = "not finished", `Continue with: chatvault ask -c "continue"`
	default:
		if status > 128 {
			how, next = "stopped", ""
		}
	}
	var body []string
	for _, part := range []string{vault, next, text.Excerpt(said, maxNotified)} {
		if part = escape(part); part != "" {
			body = append(body, part)
		}
	}
	return Notification{Summary: "chatvault: " + how, Body: strings.Join(body, "\n")}
}

// usage is the exit status of a request that could not begin.
const usage = 2

// escape escapes a text for the body of a notification, which may contain markup: characters, and notify-send's own
// escapes, in which a backslash could hide them.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, "∖").Replace(terminal.StrictLine(s))
}

// notifyTime is the timeout for a notification.
const notifyTime = 5 * time.Second

// Send shows the notification with notify-send.
func (n Notification) Send() error {
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	path, err := exec.LookPath("notify-send")
	if err != nil {
		return errors.New("no desktop notification: there is no notify-send; most systems have it in libnotify or libnotify-bin")
	}
	out, err := exec.CommandContext(ctx, path, "--app-name=chatvault", "--", n.Summary, n.Body).CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("no desktop notification: notify-send did not end within %s", notifyTime)
	case err != nil:
		return fmt.Errorf("no desktop notification: notify-send: %w: %s", err, text.Excerpt(string(out), maxNotified))
	}
	return nil
}
