package offline

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/lazyregexp"
)

const (
	maxLookedAt = 12  // requests, changes and failures that a look back lists of each
	maxRule     = 240 // bytes of a rule that goes into the architecture
)

// lookBack is a look back at the conversation that the last message holds as a transcript: what
// was asked, what was found or changed, what failed or was denied. Where the user said in it
// where something always goes, it proposes that for the text on where things go.
func lookBack(messages []llm.Message) string {
	system := ""
	for _, m := range messages {
		if m.Role == llm.RoleSystem {
			system = m.Content
		}
	}
	list := ownExchanges(between(newestText(messages), "conversation"))
	parts := []string{"**Asked**\n\n" + bullets(askedIn(list), "Nothing was asked.")}
	found, changed, failed := outcomes(list)
	if len(found) > 0 {
		parts = append(parts, "**Found**\n\n"+bullets(found, ""))
	}
	parts = append(parts,
		"**Changed**\n\n"+bullets(changed, "Nothing in the vault was changed."),
		"**Failed or denied**\n\n"+bullets(failed, "Nothing that the transcript shows."))
	if n := len(list); n > 0 && list[n-1].question {
		parts = append(parts, "**Open**: the last question has no answer: “"+clip(firstSentence(plainWords(list[n-1].replied)), 200)+"”.")
	}
	parts = append(parts, "*Taken from the transcript by the offline engine, which is no language model and judges nothing.*")
	if rules := rulesIn(list); len(rules) > 0 {
		if current, ok := architecture(system); ok {
			if block := proposed(current, rules); block != "" {
				parts = append(parts, "You said where something always goes. This could stand in the text on where things go:", block)
			}
		}
	}
	return strings.Join(parts, "\n\n")
}

// bullets are lines as a list, the first ones; instead stands for none.
func bullets(lines []string, instead string) string {
	if len(lines) == 0 {
		return instead
	}
	over := len(lines) - maxLookedAt
	if over > 0 {
		lines = append(slices.Clone(lines[:maxLookedAt]), fmt.Sprintf("and %d more", over))
	}
	return "- " + strings.Join(lines, "\n- ")
}

func askedIn(list []exchange) []string {
	var out []string
	for _, x := range requestsIn(list) {
		switch asked := plainWords(x.asked); {
		case isBinary(x.asked):
			out = append(out, "something that is no text")
		case asked != "":
			out = append(out, "“"+clip(asked, maxAsked)+"”")
		}
	}
	return out
}

// outcomes are what was found, what was changed, and what failed.
func outcomes(list []exchange) (found, changed, failed []string) {
	for _, x := range list {
		for _, d := range x.done {
			changed = append(changed, clip(oneLine(d), maxReplied))
		}
		for _, f := range x.failures {
			failed = append(failed, f.tool+": "+whyFailed(f))
		}
		if strings.HasPrefix(x.replied, failedWords) {
			failed = append(failed, "“"+clip(plainWords(x.asked), maxAsked)+"”: "+clip(strings.Trim(strings.TrimPrefix(oneLine(x.replied), failedWords), ":) "), maxReplied))
			continue
		}
		if cited := citations(x.replied); len(cited) > 0 && len(x.done) == 0 && !x.question {
			found = append(found, "“"+clip(plainWords(x.asked), 100)+"”: "+clip(gist(x.replied), maxReplied))
		}
	}
	return found, changed, failed
}

// whyFailed is why a call failed, in a few words.
func whyFailed(f failure) string {
	if why, ok := denial(call{failed: true, result: f.result}); ok {
		return clip(oneLine(why), maxReplied)
	}
	return clip(oneLine(strings.TrimPrefix(f.result, "Error: ")), maxReplied)
}

// ruleRE is a sentence by which the user says where something always goes.
var ruleRE = lazyregexp.New(`(?i)^(?:please\s+)?(?:(?:i|we)\s+(?:always|never)\s+(?:put|file|keep|save|store)\b.*\b(?:in|into|under)\b|(?:from now on|in (?:the )?future|as a rule|in general),?\s+.*\b(?:in|into|to|under)\b|(?:always|never)\s+(?:put|file|keep|save|store|create|write|add|move)\b.*\b(?:in|into|to|under)\b|[^?"“”]{1,100}\b(?:always|should(?: always)?|must(?: always)?)\s+(?:go|goes|be (?:kept|put|filed|saved|stored)|live|lives|belong|belongs|stay|stays)\s+(?:in|into|to|under)\b|[^?"“”]{1,100}\b(?:belong|belongs)\s+(?:in|into|under)\b).+$`)

// aboutSomebodyRE is a sentence on what people do, and not on where notes go.
var aboutSomebodyRE = lazyregexp.New(`(?i)^(?:i|you|we|he|she|they|it|this|that|what|where|why|how|which|do|does|did|is|are|should|must)\s+(?:\S+\s+)?(?:always\s+)?(?:go|goes|live|lives|belong|belongs|stay|stays|be|notes?|recipes?)\b|\?$`)

// rulesIn are what the user said on where things always go, in the user's words. What is not
// confirmed by a word of theirs is no rule: nothing is concluded from what was done once.
func rulesIn(list []exchange) []string {
	var out []string
	for _, x := range list {
		if isBinary(x.asked) {
			continue
		}
		for line := range strings.SplitSeq(x.asked, "\n") {
			for _, s := range sentencesOf(line) {
				rule := strings.TrimRight(plainWords(s), ".! ")
				if len(rule) <= maxRule && ruleRE().MatchString(rule) && !aboutSomebodyRE().MatchString(rule) && !slices.Contains(out, rule) {
					out = append(out, rule)
				}
			}
		}
	}
	return out
}

// sentencesOf are the sentences of a line.
func sentencesOf(line string) []string {
	var out []string
	for {
		at := sentenceEndRE().FindStringIndex(line)
		if at == nil {
			break
		}
		out = append(out, strings.TrimSpace(line[:at[0]+1]))
		line = line[at[1]:]
	}
	return append(out, strings.TrimSpace(line))
}

// The agent's prompt holds the text on where things go between these.
const (
	architectureHead = "# Where things go in this vault\n"
	architectureEnd  = "\n\n# A better text for that"
	noArchitecture   = "Nothing is written down yet."
)

// architecture is the text on where things go as a prompt holds it; false where it does not show
// it, so that nothing can be kept of it.
func architecture(system string) (string, bool) {
	_, text, ok := strings.Cut(system, architectureHead)
	end := strings.LastIndex(text, architectureEnd)
	if !ok || end < 0 {
		return "", false
	}
	if text = strings.TrimSpace(text[:end]); text == noArchitecture {
		text = ""
	}
	return text, true
}

// proposed is the text on where things go with rules added, in the block that the agent looks
// for; empty where it holds them already.
func proposed(current string, rules []string) string {
	text := current
	for _, r := range rules {
		if strings.Contains(" "+normal(text)+" ", " "+normal(r)+" ") {
			continue
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += "- " + capital(r) + "."
	}
	if text == current {
		return ""
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "information_architecture\n" + text + "\n" + fence
}
