package offline

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
)

// Bounds of a title, in words, and of what a summary quotes.
const (
	minTitleWords = 5
	maxTitleWords = 8
	maxQuotedAsk  = 90 // bytes
	maxQuotedAll  = 3  // requests
	maxTitleNotes = 4
)

// titleOfConversation is a title and a summary of the conversation that the last message holds as a
// transcript, in the form the agent asks for. Both are made of what was said and done in it.
func titleOfConversation(messages []llm.Message) string {
	text := newestText(messages)
	list := ownExchanges(between(text, "conversation"))
	return "TITLE: " + titleOf(list) + "\nSUMMARY: " + wordsOn(list)
}

// ownExchanges are the exchanges of a transcript, each with what the user said: what the agent
// sent itself, to go on toward a goal, belongs to the one before.
func ownExchanges(transcript string) []exchange {
	var out []exchange
	for _, x := range exchanges(transcript) {
		if n := len(out); n > 0 && (x.asked == "" || strings.HasPrefix(x.asked, goOnToGoal)) {
			last := &out[n-1]
			last.done = append(last.done, x.done...)
			last.failures = append(last.failures, x.failures...)
			last.replied, last.question = x.replied, x.question
			continue
		}
		out = append(out, x)
	}
	return out
}

// isRequest says whether the user asked for something, and did not only greet or answer.
func (x exchange) isRequest() bool {
	if strings.TrimSpace(x.asked) == "" || isBinary(x.asked) {
		return false
	}
	for _, c := range grammar.Parse(x.asked, time.Time{}) {
		if !isTalk(c.Kind) || c.Kind == grammar.Unclear {
			return len(strings.Fields(x.asked)) > 1 || c.Kind != grammar.Question || len(retrieval.ContentWords(x.asked)) > 0 && !isNumber(x.asked)
		}
	}
	return false
}

func isNumber(text string) bool {
	return strings.Trim(strings.TrimSpace(text), "0123456789.") == ""
}

// requestsIn are the exchanges in which the user asked for something; all, where none did.
func requestsIn(list []exchange) []exchange {
	var out []exchange
	for i, x := range list {
		answers := i > 0 && list[i-1].question && len(strings.Fields(x.asked)) <= 3
		if x.isRequest() && !answers {
			out = append(out, x)
		}
	}
	if out == nil {
		return list
	}
	return out
}

// titleOf is what the user asked for first, and where that is short what came next or came of it.
func titleOf(list []exchange) string {
	if len(list) == 0 {
		return "A conversation in which nothing was asked"
	}
	requests := requestsIn(list)
	words := askedWords(requests[0].asked)
	if len(words) == 0 {
		words = []string{"Something", "other", "than", "text"}
	}
	for _, x := range requests[1:] {
		if next := askedWords(x.asked); len(words) < minTitleWords && len(next) > 0 {
			words[len(words)-1] += ";"
			words = append(words, next...)
		}
	}
	if len(words) < minTitleWords {
		words[len(words)-1] += ":"
		words = append(words, strings.Fields(outcome(requests[0], len(words)))...)
	}
	if len(words) > maxTitleWords {
		n := maxTitleWords
		for n > minTitleWords && retrieval.IsStopWord(strings.ToLower(strings.Trim(words[n-1], ",;:"))) {
			n--
		}
		words = words[:n]
		words[n-1] = strings.TrimRight(words[n-1], ",;:") + "…"
	}
	return capital(strings.Join(words, " "))
}

// askedWords are the words of a request that a title is made of.
func askedWords(asked string) []string {
	if isBinary(asked) {
		return nil
	}
	text := strings.TrimRight(plainWords(grammar.Bare(asked)), "?!.,;: ")
	return strings.Fields(clip(text, 400))
}

// outcome is what came of a request, in so many words that with those before it they make a title.
func outcome(x exchange, before int) string {
	cited := citations(x.replied)
	switch n := len(x.done); {
	case x.question:
		return "a question is left open"
	case n == 1:
		return "one change was made"
	case n > 1:
		return fmt.Sprintf("%d changes were made", n)
	case len(x.failures) > 0:
		return "it could not be done"
	case len(cited) > 0 && before > 2:
		return "found in " + retrieval.Name(cited[0].Path)
	case len(cited) > 0:
		return "found in the note " + retrieval.Name(cited[0].Path)
	}
	return "asked, and answered without changes"
}

// wordsOn says in two or three sentences what was asked, what came of it, and what is open.
func wordsOn(list []exchange) string {
	if len(list) == 0 {
		return "Nothing was asked. Nothing was changed."
	}
	requests := requestsIn(list)
	sentences := []string{"The user asked " + quotedRequests(requests) + "."}
	var done, failures []string
	for _, x := range list {
		for _, d := range x.done {
			done = append(done, firstSentence(d))
		}
		for _, f := range x.failures {
			failures = append(failures, f.tool)
		}
	}
	notes := notesOf(list)
	switch {
	case len(done) > 0:
		over := ""
		if n := len(done) - maxQuotedAll; n > 0 {
			done, over = done[:maxQuotedAll], fmt.Sprintf("; and %s more", counted(n, "change"))
		}
		sentences = append(sentences, "This was changed: "+clip(plainWords(strings.Join(done, "; ")), 260)+over+".")
	case len(notes) > 0:
		sentences = append(sentences, "Nothing was changed; the answers came from "+strings.Join(notes, ", ")+".")
	default:
		sentences = append(sentences, "Nothing was changed, and no note was cited.")
	}
	last := list[len(list)-1]
	switch {
	case last.question:
		sentences = append(sentences, "The last question to the user was left open: “"+clip(firstSentence(plainWords(last.replied)), 140)+"”.")
	case strings.HasPrefix(last.replied, failedWords):
		sentences = append(sentences, "The last request failed before it was answered.")
	case len(failures) > 0:
		sentences = append(sentences, upper(counted(len(failures), "step"))+" failed or was denied ("+strings.Join(slices.Compact(failures), ", ")+").")
	}
	return strings.Join(sentences, " ")
}

// failedWords begin what the agent puts in the place of an answer that a request never got.
const failedWords = "(This request failed before it was answered"

// quotedRequests are the first requests in the user's words, and how many more there were.
func quotedRequests(requests []exchange) string {
	var out []string
	more := 0
	for _, x := range requests {
		asked := plainWords(x.asked)
		if isBinary(x.asked) {
			asked = "something that is no text"
		}
		switch {
		case asked == "":
		case len(out) < maxQuotedAll:
			out = append(out, "“"+clip(asked, maxQuotedAsk)+"”")
		default:
			more++
		}
	}
	if len(out) == 0 {
		return "nothing"
	}
	if more > 0 {
		out = append(out, counted(more, "thing")+" more")
	}
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + " and " + out[n-1]
	}
	return out[0]
}

// notesOf are the notes that answers cited, by name, the first ones.
func notesOf(list []exchange) []string {
	var out []string
	for _, x := range list {
		for _, c := range citations(x.replied) {
			if name := retrieval.Name(c.Path); !slices.Contains(out, name) && len(out) < maxTitleNotes {
				out = append(out, name)
			}
		}
	}
	return out
}

// firstSentence is a text up to the end of its first sentence.
func firstSentence(text string) string {
	text = oneLine(text)
	if at := sentenceEndRE().FindStringIndex(text); at != nil {
		text = text[:at[0]+1]
	}
	return strings.TrimRight(text, ".")
}

var (
	sentenceEndRE = lazyregexp.New(`[.!?](?:\s|$)`)
	linkRE        = lazyregexp.New(`\[\[(?:[^\[\]\n]*\|)?([^\[\]\n|]+)\]\]`)
	marksRE       = lazyregexp.New("\\*\\*|`|^\\s*[>#]+\\s+")
)

// plainWords is a text on one line, without the marks of Markdown and links.
func plainWords(text string) string {
	text = citationRE().ReplaceAllString(text, "$1")
	text = linkRE().ReplaceAllString(text, "$1")
	return oneLine(marksRE().ReplaceAllString(text, ""))
}

// capital is a text with its first letter in upper case.
func capital(text string) string {
	for i, r := range text {
		if i == 0 {
			return string(unicode.ToUpper(r)) + text[len(string(r)):]
		}
	}
	return text
}
