package legacy

import (
	"cmp"
	"encoding/json"
	"sort"
	"strings"
	"time"

	"chatvault/conversation"
)

// migratedTitle is that of the conversation which the older format becomes.
const migratedTitle = "Migrated conversation history"

// history reads the older format: requests with their answers, each of which becomes a turn, and
// summaries of still older ones, which become the conversation's.
func (r *reader) history(o object) {
	c := &conversation.Conversation{Title: migratedTitle}
	summaries, _ := o.array("summaries")
	c.Summary, c.Started, c.Ended = r.summaries(summaries)
	entries, _ := o.array("recentConversations")
	type request struct {
		user, assistant newerMessage
	}
	var requests []request
	for i, raw := range entries {
		e, ok := asObject(raw)
		user := cmp.Or(e.content("userMessage"), e.content("message"))
		answer := cmp.Or(e.content("assistantResponse"), e.content("response"))
		if !ok || strings.TrimSpace(user) == "" && strings.TrimSpace(answer) == "" {
			r.warn("recent conversation %d was skipped: it is empty", i+1)
			continue
		}
		when := e.when("timestamp", "time", "createdAt")
		requests = append(requests, request{
			newerMessage{id: e.text("id"), when: when, user: true, content: user},
			newerMessage{when: when, content: answer, tools: e.names("toolsUsed")},
		})
	}
	if len(requests) == 0 && c.Summary == "" {
		r.warn("the older history was skipped: it is empty")
		return
	}
	sort.SliceStable(requests, func(i, j int) bool { return requests[i].user.when.Before(requests[j].user.when) })
	var messages []newerMessage
	for _, q := range requests {
		for _, m := range []newerMessage{q.user, q.assistant} {
			if strings.TrimSpace(m.content) != "" {
				messages = append(messages, m)
			}
		}
	}
	c.Started = beginning(c.Started, messages)
	fillTimes(messages, earliest(messages))
	c.ID = conversationID(c.Started, migratedTitle, nil, nil)
	if r.ids[c.ID] {
		return
	}
	r.ids[c.ID] = true
	c.Turns = r.turns(c.ID, messages)
	if last := c.Last(); c.Ended.Before(last) {
		c.Ended = last
	}
	r.convs = append(r.convs, c)
}

// summaries joins those of the older format, oldest first, each after the time it is about.
func (r *reader) summaries(list []json.RawMessage) (text string, from, to time.Time) {
	type period struct {
		text     string
		from, to time.Time
	}
	var periods []period
	for i, raw := range list {
		o, ok := asObject(raw)
		p := period{o.content("summary"), o.when("startDate", "periodStart", "createdAt"), o.when("endDate", "periodEnd")}
		if !ok {
			p.text = scalar(raw)
		}
		if p.text = strings.TrimSpace(p.text); p.text == "" {
			r.warn("summary %d was skipped: it is empty", i+1)
			continue
		}
		periods = append(periods, p)
	}
	sort.SliceStable(periods, func(i, j int) bool { return periods[i].from.Before(periods[j].from) })
	var texts []string
	for _, p := range periods {
		if from.IsZero() {
			from = p.from
		}
		if p.to.After(to) {
			to = p.to
		}
		texts = append(texts, dates(p.from, p.to)+p.text)
	}
	return strings.Join(texts, "\n\n"), from, to
}

// dates is the heading of a summary.
func dates(from, to time.Time) string {
	switch a, b := from.Format(time.DateOnly), to.Format(time.DateOnly); {
	case from.IsZero() && to.IsZero():
		return ""
	case from.IsZero():
		return "(until " + b + ") "
	case to.IsZero():
		return "(from " + a + ") "
	case a == b:
		return "(" + a + ") "
	default:
		return "(" + a + " to " + b + ") "
	}
}
