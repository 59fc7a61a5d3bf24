package grammar

import (
	"strings"
	"time"

	"chatvault/agent/llm/offline/retrieval"
)

const (
	// farewell are the words by which one leaves.
	farewell = `(?:(?:good ?)?bye(?:[ -]bye)?|good night|see (?:you|ya)(?: (?:later|tomorrow|soon|around|next time|then))?|talk to you (?:later|soon|tomorrow)|ciao|farewell|(?:i'?m|i am|we'?re|we are) done (?:here|for (?:today|now|tonight))|that'?s (?:all|it|enough) for (?:today|now|tonight))`
	// gratitude may come before them.
	gratitude = `(?:(?:(?:ok(?:ay)?|great|good|nice|cool|perfect|awesome|excellent|super|wonderful|lovely|brilliant|well done|good job|nice work|alright|right|no|well)|(?:many )?(?:thanks?(?: you)?|thx|ty|cheers)(?: (?:a lot|so much|very much|again|for (?:now|that|this|everything|(?:all )?(?:your|the) help)))*)[\s,;!.]*(?:and\s+)?)*`
	// conversation is what one calls what is going on here.
	conversation = `(?:conversations?|chats?|discussions?|talks?)`
)

var (
	leaves = pattern(`^` + gratitude + farewell + `(?:[\s,!.]+(?:and\s+)?(?:` + farewell + `|chatvault|everyone|thanks?(?: you)?|for now|for today))*[\s!.]*$`)
	// endsHere asks for the end of the conversation, or for another one.
	endsHere = pattern(`^` + gratitude + `(?:(?:please|can you|could you|let(?:'|’)?s|let us|i(?:'d|’d| would) like to|i want to|now)\s+)*` +
		`(?:(?:end|close|finish|leave|conclude) (?:this|the|our|the current) ` + conversation +
		`|(?:(?:start|begin|open|have|make) )?(?:a |another )?(?:new|fresh|different) (?:conversation|chat|topic|subject)` +
		`|(?:change|switch) (?:the |to (?:a |another )?(?:new |different )?)?(?:topic|subject)|change of (?:topic|subject)|another (?:topic|subject|conversation)` +
		`|next (?:topic|subject)|(?:talk about )?something (?:else|different)|end (?:of )?conversation)(?: (?:here|now))?(?:[\s,.]+(?:please|thanks|thank you))?[\s!.?]*$`)
	// newTopic announces that what follows has nothing to do with what was before.
	newTopic = pattern(`^(?:(?:(?:a |and now (?:to )?)?(?:new|different|another|next) (?:topic|subject|question)|change of (?:topic|subject))\s*[:;,.!–—-]+\s+)`)
)

// goodbye recognises a clause that ends the conversation.
func goodbye(raw string) (Command, bool) {
	switch {
	case leaves.MatchString(raw):
		return Command{Kind: Goodbye}, true
	case endsHere.MatchString(raw):
		return Command{Kind: Goodbye, New: "topic"}, true
	}
	return Command{}, false
}

const (
	// weTalked is who talked here: with somebody else, it stands in a note.
	weTalked = `(?:we|you and i|i and you)`
	lastTime = `(?:the )?(?:last|previous|other) (?:time|conversation|chat)`
)

var (
	// talkedAbout asks what a conversation was about: what follows is a topic or a time.
	talkedAbout = pattern(`^(?:(?:do you (?:still )?(?:remember|recall|know)|remind me|tell me|recall|remember)(?: of)?\s+)?(?:what (?:did|had|have) ` + weTalked + ` (?:last |already |just |ever )?(?:talk(?:ed)?|chat(?:ted)?|spoken?|speak) about|what ` + weTalked + ` (?:last )?(?:talked|chatted|spoke) about|what (?:did|have) (?:i (?:ask(?:ed)?|told?|tell|said|say to) you|you (?:tell|told|answer(?:ed)?|say|said(?: to)?)(?: me)?)(?: about)?|what i (?:asked|told) you(?: about)?)\b(.*)$`)
	// haveTalked asks whether, or when, a topic was one.
	haveTalked = pattern(`^(?:did|have|had|when did|when have|when was the last time) ` + weTalked + ` (?:ever |already |last |previously )*(?:talk(?:ed)?|chat(?:ted)?|spoken?|speak) about\b(.*)$`)
	// pastOnes are the conversations themselves.
	pastOnes = pattern(`^(?:(?:show|list|give|tell)(?: me)?(?: about)?\s+|what (?:was|were|is|are)\s+|which (?:was|were)\s+|summari[sz]e\s+|recap\s+|do you remember\s+|look (?:at|into)\s+)?(?:all )?(?:of )?(?:the |my |our )?(earlier|past|previous|recent|last|latest|old|other|ended) ((?:\d+|two|three|four|five|ten) )?(?:conversations?|chats?)(?: (?:we had|i had(?: with you)?|with you|about))*\b(.*)$`)
	// myOnes are all of them.
	myOnes = pattern(`^(?:show|list)(?: me)? (?:all )?(?:of )?(?:my |our )(?:conversations|chats)\b(.*)$`)
	// notHere are signs that the talk was with somebody else, and stands in a note.
	notHere  = pattern(`\b(?:with|in (?:the|my|our)|at (?:the|my|our)|during (?:the|my|our)|meetings?|note|notes)\b`)
	lastOne  = pattern(`\b` + lastTime + `\b|^\s*(?:last|before|previously|earlier)\b[\s?.!]*$`)
	topicEnd = pattern(`^[\s:,]*(?:about\s+|of\s+|on\s+|regarding\s+)?|(?:\s+(?:before|already|earlier|again|previously|recently|lately|together|then))*[\s?.!]*$`)
)

// past recognises a question about earlier conversations.
func past(s string, now time.Time) (Command, bool) {
	c := Command{Kind: Past}
	var rest string
	switch {
	case submatches(talkedAbout, s) != nil:
		rest = submatches(talkedAbout, s)[1]
	case submatches(haveTalked, s) != nil:
		rest = submatches(haveTalked, s)[1]
	case submatches(pastOnes, s) != nil:
		m := submatches(pastOnes, s)
		rest = m[3]
		switch word := strings.ToLower(m[1]); {
		case m[2] != "":
			c.Limit = number(strings.TrimSpace(m[2]))
		case (word == "last" || word == "previous" || word == "latest") && !plural.MatchString(s[:len(s)-len(rest)]):
			c.Limit = 1
		}
	case submatches(myOnes, s) != nil:
		rest = submatches(myOnes, s)[1]
	default:
		return c, false
	}
	if len(rest) > 400 || notHere.MatchString(rest) {
		return c, false
	}
	if lastOne.MatchString(rest) {
		c.Limit = 1
		rest = lastOne.ReplaceAllString(rest, "")
	}
	c.When, rest = FindTime(rest, now, false)
	c.Topic = strings.TrimSpace(topicEnd.ReplaceAllString(rest, ""))
	if len(retrieval.ContentWords(c.Topic)) == 0 {
		c.Topic = ""
	}
	return c, true
}

// plural says whether a name of conversations is in the plural.
var plural = pattern(`s\s*(?:(?:we had|i had(?: with you)?|with you|about)\s*)*$`)
