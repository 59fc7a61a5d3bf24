package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"chatvault/agent/event"
)

// Commands returns the table of all commands, in display order. The palette, the help, completion, the line chat,
// `ask` and docs/commands.md are made from it.
func Commands() []Command {
	return []Command{
		{Name: "help", Does: "keys and commands"},
		{Name: "stop", Does: "stop the running turn"},
		{Name: "plan", Args: "TEXT", Needs: true, Does: "ask for a plan first; nothing changes until you approve it", Run: plan},
		{
			Name: "goal", Args: "TEXT", Does: "keep working over several turns until TEXT is met", Run: goal,
			When: func(do *Actions) bool { return do.Goal != nil },
			More: []Form{{"", "show the goal"}, {"resume", "resume a paused goal"}, {"drop", "drop the goal"}},
		},
		{
			Name: "edit", Does: "edit an earlier message; it is sent as a new branch",
			Lists: []Form{{"TEXT", "replace your last message with TEXT"}},
		},
		{
			Name: "branches", Does: "branches of this conversation",
			Lists: []Form{{"N", "switch to one of them"}},
		},
		{Name: "retry", Does: "retry the last failed message"},
		{
			Name: "changes", Does: "what was changed in the vault, turn by turn",
			Lists: []Form{{"N", "show what one of them changed"}, {"undo N", "undo one of them"}, {"rewind N", "undo one of them and what came after"}},
		},
		{
			Name: "undo", Does: "undo what the last turn changed",
			More: []Form{{"ID", "undo what a turn changed, by the id that chatvault changes lists"}, {"TIME", "undo everything since then: 14:00, yesterday, 2h"}},
		},
		{
			Name: "approval", Does: "next mode: autonomous, destructive, writes, plan only", Run: approve,
			When: func(do *Actions) bool { return do.Approval != nil },
			More: []Form{{"MODE", "use that mode until you quit"}},
		},
		{Name: "redo", Does: "redo what was undone last"},
		{Name: "new", Does: "start a new conversation"},
		{
			Name: "conversations", Does: "find, read, continue, rename, export and delete conversations",
			Lists: []Form{
				{"N", "continue one"},
				{"find WORDS", "find those that contain all the words"},
				{"read N", "read one"},
				{"rename N TITLE", "give one another title"},
				{"export N", "write one to a file"},
				{"delete N", "delete one"},
			},
		},
		{Name: "vault", Does: "switch vault", More: []Form{{"FOLDER", "open the vault in a folder"}}},
		{
			Name: "settings", Does: "see and change the configuration",
			Lists: []Form{{"KEY", "what a setting is for"}, {"KEY VALUE", "set it; default resets it"}},
		},
		{
			Name: "model", Does: "choose the model, from the next turn on",
			More: []Form{{"NAME", "use a model by its name, or by provider/model"}},
		},
		{
			Name: "effort", Args: "LEVEL", Does: "how much the model reasons: none, low, high …", Run: effort,
			When: func(do *Actions) bool { return do.Models != nil },
			More: []Form{{"", "show it, and the levels the model supports"}, {"default", "leave it to the provider"}},
		},
		{
			Name: "theme", Does: "choose the colours, with a preview",
			More: []Form{{"NAME", "use a theme by its name"}},
		},
		{
			Name: "inbox", Does: "unfinished messages",
			Lists: []Form{{"N", "retry one"}, {"read N", "read one"}, {"drop N", "discard one"}},
		},
		{
			Name: "draft", Does: "send the saved draft, in the chat as lines",
			More: []Form{{"drop", "discard it"}},
		},
		{
			Name: "compact", Does: "summarise the conversation so far for the model", Run: compact,
			When: func(do *Actions) bool { return do.Conversation != nil },
		},
		{
			Name: "retrospect", Does: "review this conversation, or the previous one", Run: retrospect,
			When: func(do *Actions) bool { return do.Conversation != nil },
		},
		{
			Name: "trust", Does: "review instructions and settings that came with this vault",
			Lists: []Form{{"agree", "let it steer the agent"}, {"refuse", "leave it unused until it changes"}},
		},
		{
			Name: "skills", Does: "the agent's skills",
			When: func(do *Actions) bool { return do.Skills != nil },
			Run:  func(c Call) Reply { return Reply{Say: c.Do.Skills.Skills()} },
		},
		{
			Name: "smarthole", Args: "on", Does: "receive messages that SmartHole routes here", Run: smartHole,
			When: func(do *Actions) bool { return do.Routing != nil },
			More: []Form{{"off", "stop receiving them"}},
		},
		{
			Name: "mcp", Does: "servers whose tools the agent may use", Run: mcpServers,
			When: func(do *Actions) bool { return do.Servers != nil },
			More: []Form{{"on NAME", "start one"}, {"off NAME", "end one"}, {"log NAME", "its latest output"}},
		},
		{
			Name: "copy", Does: "copy the last answer",
			More: []Form{{"code", "its last code block"}, {"all", "the conversation, as Markdown"}},
		},
		{
			Name: "export", Does: "export this conversation to a file", Run: runExport,
			When: func(do *Actions) bool { return do.Conversation != nil },
			More: []Form{{"FILE", "to this file: JSON if its name ends in .json, else Markdown"}},
		},
		{Name: "cost", Aliases: []string{"usage"}, Does: "tokens and cost of the turn, the conversation and the day"},
		{Name: "quit", Aliases: []string{"exit"}, Does: "quit chatvault"},
	}
}

// turnRuns is the error of commands that cannot run during a turn.
const turnRuns = "A turn is running: /stop stops it."

func plan(c Call) Reply {
	return Reply{Send: &event.Inbound{Text: c.Words, Mode: event.ModePlan, Hold: true}}
}

func goal(c Call) Reply {
	switch strings.ToLower(c.Words) {
	case "":
		if c.State.Goal.Text == "" {
			return Reply{Hint: GoalText(c.State.Goal)}
		}
		return Reply{Say: GoalText(c.State.Goal)}
	case "resume":
		return acting("The goal was not resumed", c.Do.Goal.ResumeGoal, Reply{})
	case "drop":
		if c.State.Goal.Text == "" {
			return refused("There is no goal to drop.")
		}
		drop := func() error {
			_, err := c.Do.Goal.SetGoal("")
			return err
		}
		return acting("The goal was not dropped", drop, Reply{Told: event.GoalChanged{}, Say: "The goal is dropped."})
	}
	return Reply{Act: func(context.Context) Reply {
		g, err := c.Do.Goal.SetGoal(c.Words)
		if err != nil {
			r := failed("The goal was not set", err)
			r.Keep = true
			return r
		}
		// It begins its own turn: the running one began without the goal.
		return Reply{Told: event.GoalChanged{Goal: g}, Send: &event.Inbound{Text: c.Words, Hold: true}}
	}}
}

// ApprovalText describes an approval mode.
func ApprovalText(a event.Approval) string {
	means := map[event.Approval]string{
		event.ApprovalDestructive: "deleting, moving folders, overwriting and large removals wait for you",
		event.ApprovalWrites:      "every change waits for you",
		event.ApprovalPlan:        "nothing changes; you get a plan to approve",
	}[a]
	means = cmp.Or(means, "changes happen at once; /undo reverts them")
	return "Approval: " + a.Named() + " · " + means + "."
}

func approve(c Call) Reply {
	to := c.Do.Approval.Approval().Next()
	if words := strings.ToLower(c.Words); words != "" {
		i := slices.IndexFunc(event.Approvals(), func(a event.Approval) bool { return words == string(a) || words == a.Named() })
		if i < 0 {
			return refused("/approval takes autonomous, destructive, writes or plan.")
		}
		to = event.Approvals()[i]
	}
	if err := c.Do.Approval.SetApproval(to); err != nil {
		return failed("The mode is unchanged", err)
	}
	return Reply{Told: event.ApprovalChanged{Approval: to}, Hint: ApprovalText(to)}
}

func effort(c Call) Reply {
	if c.Words != "" {
		return Reply{Act: func(context.Context) Reply {
			said, err := c.Do.Models.UseEffort(c.Words)
			if err != nil {
				return failed("The effort is unchanged", err)
			}
			return Reply{Say: said}
		}}
	}
	model, has := c.Do.Models.Efforts()
	if len(has) == 0 {
		return Reply{Say: model + " has no reasoning effort to set."}
	}
	is := cmp.Or(c.Do.Models.Effort(), "left to the provider")
	return Reply{Say: "Reasoning effort of " + model + ": " + is + ". It has " + strings.Join(has, ", ") + "; /effort LEVEL chooses one, /effort default none."}
}

func compact(c Call) Reply {
	if c.State.Busy() {
		return refused(turnRuns)
	}
	return acting("Nothing was summarised", c.Do.Conversation.Compact, Reply{})
}

func retrospect(c Call) Reply {
	r := acting("Nothing to review", c.Do.Conversation.Retrospect, Reply{})
	r.Hint = "Reviewing… it appears here as it is written."
	return r
}

func smartHole(c Call) Reply {
	switch strings.ToLower(c.Words) {
	case "":
		return Reply{Hint: RouteText(c.Do.Routing.Status())}
	case "on":
		return acting("SmartHole stays off", c.Do.Routing.On, Reply{Hint: "Messages that SmartHole routes here are received."})
	case "off":
		return Reply{Act: func(context.Context) Reply {
			c.Do.Routing.Off()
			return Reply{Hint: "They are no longer received."}
		}}
	}
	return refused("/smarthole on receives messages that SmartHole routes here, /smarthole off stops receiving them.")
}

func runExport(c Call) Reply {
	without := "."
	if c.State.Turn.Running {
		without = ", without the turn that runs."
	}
	return Reply{Act: func(ctx context.Context) Reply {
		path, err := c.Do.Conversation.ExportActive(ctx, strings.Trim(c.Words, `"'`))
		if err != nil {
			return failed("Not exported", err)
		}
		return Reply{Say: "The conversation is in " + path + without}
	}}
}
