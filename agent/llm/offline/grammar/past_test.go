package grammar_test

import (
	"testing"

	"chatvault/agent/llm/offline/grammar"
)

func TestGoodbyes(t *testing.T) {
	for text, want := range map[string]string{
		"bye":                                     "goodbye",
		"Goodbye!":                                "goodbye",
		"thanks, bye":                             "goodbye",
		"Thanks a lot for your help. Bye!":        "goodbye",
		"ok great, thank you and good night":      "goodbye",
		"bye bye":                                 "goodbye",
		"see you tomorrow":                        "goodbye",
		"that's all for today, thanks":            "goodbye",
		"I'm done for today.":                     "goodbye",
		"new topic":                               `goodbye new="topic"`,
		"New topic.":                              `goodbye new="topic"`,
		"ok, let's change the subject":            `goodbye new="topic"`,
		"let's talk about something else":         `goodbye new="topic"`,
		"please end this conversation":            `goodbye new="topic"`,
		"End the conversation, please":            `goodbye new="topic"`,
		"can you close this chat?":                `goodbye new="topic"`,
		"start a new conversation":                `goodbye new="topic"`,
		"delete Knee, then end this conversation": `delete note="Knee" | goodbye new="topic"`,
		"end this conversation and delete Knee":   `goodbye new="topic" | delete note="Knee"`,

		// what is no farewell
		"thanks":                                   "thanks",
		"that's all":                               "thanks",
		"no thanks":                                "thanks",
		"thanks, and what is Heron?":               `question topic="what is Heron"`,
		"thanks, and show Goodbye":                 `show note="Goodbye"`,
		"what is The Long Goodbye about?":          `question topic="what is The Long Goodbye about"`,
		"add goodbye to Home":                      `add note="Home" body="goodbye"`,
		"create a note Letter with hello, goodbye": `create title="Letter" body="hello, goodbye"`,
		"new topic: show Gran":                     `show note="Gran"`,
		"end of the story":                         `question topic="end of the story"`,
		"create a note called New topic":           `create title="New topic"`,
	} {
		if got := brief(grammar.Parse(text, now)); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestQuestionsAboutEarlierConversations(t *testing.T) {
	for text, want := range map[string]string{
		"what did we talk about yesterday?":               `past when="yesterday"`,
		"What did we talk about last time?":               "past limit=1",
		"what did we last talk about?":                    "past",
		"what did you and I talk about on Monday?":        `past when="on monday"`,
		"what have we talked about so far":                `past topic="so far"`,
		"what did we talk about?":                         "past",
		"do you remember what we talked about last week?": `past when="last week"`,
		"remind me what we talked about last time":        "past limit=1",
		"what did I ask you about the fence?":             `past topic="the fence"`,
		"what did you tell me about the fence last week?": `past when="last week" topic="the fence"`,
		"did we ever talk about plum jam?":                `past topic="plum jam"`,
		"have we already talked about Heron before?":      `past topic="Heron"`,
		"when did we talk about the garden?":              `past topic="the garden"`,
		"what was our last conversation about?":           "past limit=1",
		"show my last three conversations":                "past limit=3",
		"show me our earlier conversations":               "past",
		"list my conversations":                           "past",
		"past conversations about the fence":              `past topic="the fence"`,
		"please show our conversations":                   "past",

		// what stands in notes
		"what did we talk about with Lena?":      `question topic="what did we talk about with Lena"`,
		"what did we talk about in the meeting?": `question topic="what did we talk about in the meeting"`,
		"what did we decide about the fence?":    `question topic="what did we decide about the fence"`,
		"what did I say in the toast?":           `question topic="what did I say in the toast"`,
		"notes about conversations":              `question topic="conversations"`,
		"show Conversations":                     `show note="Conversations"`,
	} {
		if got := brief(grammar.Parse(text, now)); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}
