package legacy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"chatvault/conversation"
	"chatvault/internal/text"
)

// provider is what an imported turn names as its provider.
const provider = "imported"

// newerMessage is a message of the newer format.
type newerMessage struct {
	id      string
	when    time.Time // zero: not known
	user    bool
	content string
	tools   []string
}

// conversations reads those of the newer format.
func (r *reader) conversations(list []json.RawMessage) {
	for i, raw := range list {
		o, ok := asObject(raw)
		if !ok {
			r.warn("conversation %d was skipped: it is not an object", i+1)
			continue
		}
		r.conversation(i, o)
	}
}

func (r *reader) conversation(i int, o object) {
	name := fmt.Sprintf("conversation %d", i+1)
	if id := o.text("id"); id != "" {
		name = fmt.Sprintf("conversation %d (%s)", i+1, text.Clip(id, 40))
	}
	messages := r.messageList(name, o)
	branches := r.branchList(name, o)
	if len(messages) == 0 && len(branches) == 0 {
		r.warn("%s was skipped: it has no messages", name)
		return
	}
	c := &conversation.Conversation{
		Title: o.text("title"), Summary: o.text("summary"),
		Started: o.when("startedAt", "createdAt"), Ended: o.when("endedAt"),
	}
	c.Started = beginning(c.Started, messages)
	fillTimes(messages, c.Started)
	c.ID = conversationID(c.Started, o.text("id"), messages, branches)
	if r.ids[c.ID] {
		r.warn("%s was skipped: it is in the file twice", name)
		return
	}
	r.ids[c.ID] = true
	c.Turns = r.turns(c.ID, messages)
	for _, b := range branches {
		fillTimes(b, c.Started)
		branch := conversation.Branch{Fork: forkOf(c.Turns, b), Turns: r.turns(c.ID, b)}
		if err := c.AddBranch(branch); err != nil {
			r.warn("a branch of %s was skipped: %v", name, err)
		}
	}
	if last := c.Last(); c.Ended.Before(last) { // it did not end there, or its clock went back
		c.Ended = last
	}
	r.convs = append(r.convs, c)
}

// messageList reads the messages of a conversation or a branch.
func (r *reader) messageList(name string, o object) []newerMessage {
	list, ok := o.array("messages")
	if !ok {
		return nil
	}
	var out []newerMessage
	left := 0
	for _, raw := range list {
		m, ok := asObject(raw)
		text := m.content("content")
		if !ok || strings.TrimSpace(text) == "" {
			left++
			continue
		}
		s := newerMessage{id: m.text("id"), when: m.when("timestamp", "time", "createdAt"), content: text, tools: m.names("toolsUsed")}
		switch role := strings.ToLower(m.text("role")); role {
		case "user", "human":
			s.user = true
		case "assistant", "agent", "ai", "model":
		default:
			left++
			continue
		}
		out = append(out, s)
	}
	if left == 1 {
		r.warn("%s: 1 message without text or role was left out", name)
	} else if left > 1 {
		r.warn("%s: %d messages without text or role were left out", name, left)
	}
	return out
}

// branchList reads the tails that were archived when an earlier message was edited.
func (r *reader) branchList(name string, o object) [][]newerMessage {
	list, _ := o.array("branches")
	var out [][]newerMessage
	for i, raw := range list {
		b, _ := asObject(raw)
		if messages := r.messageList(fmt.Sprintf("branch %d of %s", i+1, name), b); len(messages) > 0 {
			out = append(out, messages)
		}
	}
	return out
}

// turns puts each message of the user together with the answers that follow it. What the
// assistant said first stands in a turn without one.
func (r *reader) turns(conversationID string, messages []newerMessage) []conversation.Turn {
	var turns []conversation.Turn
	for i, m := range messages {
		if m.user || len(turns) == 0 {
			turns = append(turns, conversation.Turn{ID: r.messageID(conversationID, m, i), Started: m.when, Provider: provider})
		}
		t := &turns[len(turns)-1]
		role := conversation.RoleAssistant
		record := conversation.Message{Time: m.when, Content: m.content}
		if m.user {
			role, record.ID, record.Source = conversation.RoleUser, t.ID, "direct"
		}
		record.Role = role
		t.Messages = append(t.Messages, record)
		t.ToolsUsed = union(t.ToolsUsed, m.tools)
		t.Ended = m.when
	}
	return turns
}

// messageID is a message's own id where it is one that no other has.
func (r *reader) messageID(conversationID string, m newerMessage, i int) string {
	id := m.id
	for n := 0; id == "" || len(id) > 200 || r.messages[id]; n++ {
		id = conversationID + "-" + hash(m.id, m.content, fmt.Sprint(i, n))
	}
	r.messages[id] = true
	return id
}

// forkOf is the last turn of the active path before a branch began, by the time; "" for none.
func forkOf(turns []conversation.Turn, branch []newerMessage) string {
	n := sort.Search(len(turns), func(i int) bool { return !turns[i].Started.Before(branch[0].when) })
	if n == 0 {
		return ""
	}
	return turns[n-1].ID
}

// earliest is the earliest time that is known.
func earliest(messages []newerMessage) time.Time {
	var first time.Time
	for _, m := range messages {
		if !m.when.IsZero() && (first.IsZero() || m.when.Before(first)) {
			first = m.when
		}
	}
	return first
}

// beginning is when a conversation began that is said to have begun at a time.
func beginning(began time.Time, messages []newerMessage) time.Time {
	if first := earliest(messages); began.IsZero() || !first.IsZero() && first.Before(began) {
		began = first
	}
	if began.IsZero() {
		return epoch
	}
	return began
}

// epoch stands for times that are not known at all.
var epoch = time.Unix(0, 0).UTC()

// fillTimes gives messages without a time that of the message before, and keeps them in order.
func fillTimes(messages []newerMessage, start time.Time) {
	if start.IsZero() {
		start = epoch
	}
	for i := range messages {
		if messages[i].when.Before(start) {
			messages[i].when = start
		}
		start = messages[i].when
	}
}

// conversationID sorts by time as ids of our own do, and is the same for the same conversation.
func conversationID(started time.Time, id string, messages []newerMessage, branches [][]newerMessage) string {
	parts := []string{id}
	if id == "" {
		for _, list := range append([][]newerMessage{messages}, branches...) {
			for _, m := range list {
				parts = append(parts, m.id, m.content)
			}
		}
	}
	return started.UTC().Format("20060102-150405") + "-" + hash(parts...)
}

// hash is eight digits that stand for some texts.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

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
