package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"chatvault/conversation"
)

type showOptions struct {
	json   bool
	branch int // 1-based, as show numbers them; 0: the active path
}

func newConversationsShow(s Streams, g *globals) *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use: "show ID", Short: "Print a conversation as one reads it", Args: oneID("shown"),
		Long: `Print a conversation as one reads it: what you said, what the agent did, told and asked
on the way, and its answers. Where an earlier message was edited, the branch that was left is
mentioned; --branch shows the conversation as it went there.`,
		Example: `  chatvault conversations show last
  chatvault conversations show 20261121-1531 --branch 1
  chatvault conversations show active --json | jq '.turns[].messages'`,
		ValidArgsFunction: completeIDs(s, g, false),
		RunE:              func(_ *cobra.Command, args []string) error { return conversationsShow(s, g, args[0], o) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "print all that is recorded of it as one JSON object")
	c.Flags().IntVar(&o.branch, "branch", 0, "show the branch with this number")
	return c
}

func conversationsShow(s Streams, g *globals, word string, o showOptions) error {
	return withShelf(s, g, func(h *shelf) error {
		c, err := h.catalog()
		if err != nil {
			return err
		}
		conv, _, err := h.open(c, word)
		if err != nil {
			return err
		}
		t, err := tellingOf(conv, o.branch)
		if err != nil {
			return err
		}
		t.gone = !c.hasSource(conv.Continues)
		if o.json {
			return writeJSON(s.Out, t.document(conv.ID == c.active))
		}
		p := newPage(s, h.config)
		p.conversation(t, conv.ID == c.active)
		_, err = io.WriteString(s.Out, p.String())
		return err
	})
}

// telling is a conversation along one path: the active one, or that to the end of a branch.
type telling struct {
	*conversation.Conversation
	turns    []conversation.Turn // along the path
	branches []conversation.Branch
	branch   int  // 1-based: the path is this branch's from shared on; 0: it is the active one
	shared   int  // how many turns of the active path the branch begins with
	gone     bool // the conversation that it continues was deleted
}

func tellingOf(c *conversation.Conversation, branch int) (telling, error) {
	t := telling{Conversation: c, turns: c.Turns, branches: c.Branches(), branch: branch}
	switch {
	case branch == 0:
		return t, nil
	case len(t.branches) == 0:
		return t, failure("conversation %s has no branches: no message of it was edited", c.ID)
	case branch < 0 || branch > len(t.branches):
		return t, failure("conversation %s has %s; --branch takes a number from 1 to %d", c.ID, branches(len(t.branches)), len(t.branches))
	}
	b := t.branches[branch-1]
	t.shared = afterTurn(c.Turns, b.Fork)
	t.turns = append(append([]conversation.Turn(nil), c.Turns[:t.shared]...), b.Turns...)
	return t, nil
}

// afterTurn is how many turns there are up to the one with this id, the last one where a turn
// that failed was tried again; 0 where there is none.
func afterTurn(turns []conversation.Turn, id string) int {
	for i := len(turns) - 1; i >= 0; i-- {
		if id != "" && turns[i].ID == id {
			return i + 1
		}
	}
	return 0
}

// conversationJSON is a conversation for programs: all that is recorded of it.
type conversationJSON struct {
	Schema     int                      `json:"schema"`
	ID         string                   `json:"id"`
	Started    time.Time                `json:"started"`
	Ended      time.Time                `json:"ended,omitzero"`
	Active     bool                     `json:"active,omitempty"`
	Title      string                   `json:"title,omitempty"`
	Summary    string                   `json:"summary,omitempty"`
	Branch     string                   `json:"branch,omitempty"` // the turns are those of the path to its end
	Continues  *continuesJSON           `json:"continues,omitempty"`
	Turns      []conversation.Turn      `json:"turns"`
	Branches   []branchJSON             `json:"branches,omitempty"`
	Compaction *conversation.Compaction `json:"compaction,omitempty"`
	Pending    *conversation.Pending    `json:"pending,omitempty"`
}

// continuesJSON is what a conversation carries of the one that it continues.
type continuesJSON struct {
	*conversation.Continuation
	Deleted bool `json:"deleted,omitempty"` // that is no more
}

// branchJSON is a branch: the turns that followed the one with the id Fork.
type branchJSON struct {
	ID    string              `json:"id"`
	Fork  string              `json:"fork,omitempty"`
	Ended time.Time           `json:"ended"`
	Turns []conversation.Turn `json:"turns"`
}

const documentSchema = 1

func (t telling) document(active bool) conversationJSON {
	d := conversationJSON{
		Schema: documentSchema, ID: t.ID, Started: t.Started, Ended: t.Ended, Active: active,
		Title: t.Title, Summary: t.Summary, Turns: conversation.Spoken(t.turns), Compaction: t.Compaction, Pending: t.PendingQuestion(),
	}
	if d.Turns == nil {
		d.Turns = []conversation.Turn{}
	}
	if t.Continues != nil {
		carried := *t.Continues
		carried.Turns = conversation.Spoken(carried.Turns)
		d.Continues = &continuesJSON{&carried, t.gone}
	}
	if t.branch > 0 {
		d.Branch = t.branches[t.branch-1].ID
		return d
	}
	for _, b := range t.branches {
		d.Branches = append(d.Branches, branchJSON{b.ID, b.Fork, b.Ended, conversation.Spoken(b.Turns)})
	}
	return d
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// facts are when a conversation was, how long it is and how it stands.
func (t telling) facts(active bool) []string {
	last := t.Started
	if n := len(t.turns); n > 0 {
		last = t.turns[n-1].Ended
	}
	facts := []string{span(t.Started, last), count(len(t.turns), "turn")}
	if t.branch > 0 {
		facts = append(facts, fmt.Sprintf("branch %d of %d", t.branch, len(t.branches)))
	} else if n := len(t.branches); n > 0 {
		facts = append(facts, branches(n))
	}
	switch {
	case active:
		facts = append(facts, "active")
	case t.Ended.IsZero():
		facts = append(facts, "not ended")
	}
	return facts
}
