package smarthole

import (
	"strings"
	"time"

	"chatvault/internal/text"
)

// maxBody bounds what a notification says, in bytes; the rest is in the conversation.
const maxBody = 16 << 10

// told is the notification as it is sent at now: one from before the connection, which is there
// since then, had to wait and says from when it is.
func (k kept) told(since, now time.Time) Notification {
	n := k.What
	if k.Time.Before(since) {
		when := k.Time.Local().Format("15:04")
		if k.Time.Local().Format(time.DateOnly) != now.Local().Format(time.DateOnly) {
			when = k.Time.Local().Format("2 Jan 15:04")
		}
		n.Body = "[" + when + "] " + n.Body
	}
	return n
}

// shorten cuts a text that is too long for a notification.
func shorten(body string) string {
	body = strings.ToValidUTF8(strings.TrimSpace(body), "�")
	if len(body) <= maxBody {
		return body
	}
	return text.Head(body, maxBody) + "… (the rest is in the chat)"
}
