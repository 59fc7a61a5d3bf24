package smallmodel

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"chatvault/agent/llm"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// Prompt returns the user's message for a small model: the passages come first, so that the message is last. context is
// added by the program, such as a note on a stopped request.
func Prompt(message, along, context string, now time.Time, question bool) string {
	var b strings.Builder
	b.WriteString("Today is " + now.Local().Format("Monday, 2 January 2006 (2006-01-02)") + ".\n")
	if context != "" {
		b.WriteString(context + "\n")
	}
	if along != "" {
		b.WriteString("\n" + fromNotes + "\n" + along + "\n")
	} else if question {
		b.WriteString("\nNothing was found in the notes.\n")
	}
	if question {
		how := "in one short sentence, with the exact words and numbers that stand there"
		if choice().MatchString(strings.ToLower(message)) { // what it says of each first makes the comparison right
			how = "and name the note as [[its name]]"
		}
		return b.String() + "\nQuestion: " + message + "\n(Answer it from the notes above, " + how + ".)"
	}
	return b.String() + "\nRequest: " + message
}

// fromNotes is the line above the passages in a prompt.
const fromNotes = "From the notes:"

// TalkPrompt returns the instruction after a message that is not about notes.
func TalkPrompt(message string) string {
	language := "the same language"
	for _, script := range []struct {
		letters  *unicode.RangeTable
		language string
	}{{unicode.Hiragana, "Japanese"}, {unicode.Katakana, "Japanese"}, {unicode.Hangul, "Korean"}, {unicode.Han, "Chinese"}, {unicode.Cyrillic, "Russian"}} {
		if strings.ContainsFunc(message, func(r rune) bool { return unicode.Is(script.letters, r) }) {
			language = script.language
			break
		}
	}
	if Greets(message) { // it would repeat what it can do
		return "\n(Reply in one short, friendly sentence, in " + language + ".)"
	}
	return "\n(Reply in one sentence, in " + language + ". What you can do: find and read notes, answer from them, write, edit, rename, move and delete them.)"
}

// Abilities is the answer to small talk if the model's is unusable.
const Abilities = "I can find and read notes, answer from them, and write, edit, rename, move and delete them."

// Translation returns the messages that ask for a question in English, which the index understands. A small model
// keeps names and tags only where it is shown that it should.
func Translation(question string) []llm.Message {
	out := []llm.Message{{Role: llm.RoleSystem, Content: "You translate."}}
	for _, e := range [][2]string{
		{"Welche Notizen haben das Schlagwort garden?", "Which notes are tagged garden?"},
		{"À quels films ai-je donné la note 3 ?", "Which films did I rate 3?"},
		{"Journalフォルダのノートを全部教えて", "List all notes in the folder Journal."},
		{"Wann hat Paul Geburtstag?", "When is Paul's birthday?"},
		{"¿Qué libros aún no he leído?", "Which books have I not read yet?"},
		{"有几个未完成的任务？", "How many open tasks are there?"},
	} {
		out = append(out, llm.Message{Role: llm.RoleUser, Content: translate + e[0]}, llm.Message{Role: llm.RoleAssistant, Content: e[1]})
	}
	return append(out, llm.Message{Role: llm.RoleUser, Content: translate + question})
}

const translate = "Translate into English: "

// Reminder returns the request to call a tool, for a model that called none; tried is the name of a tool that it
// wrote and that is not offered, or whose arguments were wrong, if any.
func Reminder(tried string, offered []tools.Form) string {
	text := "No tool was called, so nothing has changed. Call the tool now."
	if tried != "" {
		var calls []string
		for _, f := range offered {
			calls = append(calls, f.Signature())
		}
		text = "That call of " + tried + " could not run. Call one of these tools, with its arguments: " + strings.Join(calls, ", ") + "."
	}
	return text + " If a note or a text is missing in the request, ask for it in one question."
}

// Done returns the answer to a request that changed notes; changes are as tools.Turn.Changes has them.
func Done(changes []string) string { return "Done: " + strings.Join(changes, "; ") + "." }

// NotDone returns the answer to a request for a change that changed nothing, whatever the model claims; why is the
// result of the last call, "" if there was none.
func NotDone(why string) string {
	if why == "" {
		why = "the model called no tool for it."
	}
	why, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(why, "Error: "), "Not run: "), "\n")
	return "Nothing was changed: " + why + " Say it in other words, with the note's name and the exact text, or choose a larger model with /model."
}

// NotInNotes returns the answer to a question whose answer by the model stands nowhere in the notes.
func NotInNotes(message string, found []Passage) string {
	if len(found) == 0 {
		return "Your notes do not say."
	}
	var names []string
	for _, p := range found {
		if l := "[[" + Name(p.Path) + "]]"; !slices.Contains(names, l) && len(names) < 3 {
			names = append(names, l)
		}
	}
	return "Your notes do not say. Nearest: " + strings.Join(names, ", ") + "." + Evidence(message, "", found)
}

// WithSource adds to an answer the line that it rests on, and the note if it names none.
func WithSource(answer, message string, found []Passage) string {
	if line := Evidence(message, answer, found); line != "" {
		return answer + line
	}
	if len(found) == 0 || strings.Contains(answer, "[[") {
		return answer
	}
	return answer + " [[" + Name(found[0].Path) + "]]"
}

// Evidence returns the line of the passages that says most of what a question and its answer say, as a quotation
// with its note below; "" if none does.
func Evidence(message, answer string, found []Passage) string {
	weight := map[string]int{}
	for _, w := range Words(strings.ToLower(message)) {
		if len(w) > 3 && !slices.Contains(commonWords, w) {
			weight[w] = 1
		}
	}
	for _, w := range Words(strings.ToLower(answer)) {
		if len(w) > 3 && !slices.Contains(commonWords, w) || isNumber(w) {
			weight[w] += 2
		}
	}
	best, line, note := 2, "", ""
	for _, p := range found {
		for l := range strings.Lines(p.Text) {
			score := 0
			for _, w := range slices.Compact(slices.Sorted(slices.Values(Words(strings.ToLower(l))))) {
				score += weight[w]
			}
			if l = strings.TrimSpace(l); score > best && !strings.HasPrefix(l, "#") {
				best, line, note = score, l, p.Path
			}
		}
	}
	if line == "" || strings.Contains(answer, line) {
		return ""
	}
	return "\n\n> " + text.Head(line, maxEvidence) + "\n\n— [[" + Name(note) + "]] (" + note + ")"
}

// maxEvidence bounds a line that is quoted below an answer, in bytes.
const maxEvidence = 300

// placeholder is an argument that a model copied from a description in place of a value.
var placeholder = lazyregexp.New(`^\s*(?:<[^<>]*>|\{\{?[^{}]*\}\}?|\[[a-z _-]+\]|path/to/.*|\.\.\.|…)\s*$`)

// IsPlaceholder reports whether an argument is a template such as <path>, and no value.
func IsPlaceholder(value string) bool { return placeholder().MatchString(value) }

// ValueGiven reports whether a property value can come from the request: they share a word, or the value is a number,
// a date, or yes or no.
func ValueGiven(value, request string) bool {
	words := Words(strings.ToLower(value))
	return len(words) == 0 || slices.ContainsFunc(words, func(w string) bool {
		return isNumber(w) || strings.Contains(strings.ToLower(request), w) && len(w) > 1 || slices.Contains(yesOrNo, w) || w == "true" || w == "false"
	})
}

// Named reports whether texts name a note: all words of its name stand in them.
func Named(notePath string, texts ...string) bool {
	words := Words(strings.ToLower(Name(notePath)))
	all := strings.ToLower(strings.Join(texts, "\n"))
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) })
}

// Words returns the words and numbers of a text.
func Words(text string) []string { return nameWords().FindAllString(text, -1) }

var nameWords = lazyregexp.New(`[\p{L}\p{N}]+`)

// Foreign reports whether a message is in another language than English.
func Foreign(message string) bool {
	n := 0
	for i, w := range Words(strings.ToLower(message)) {
		known := slices.Contains(foreignWords, w)
		if known && i == 0 {
			return true
		}
		if known || strings.ContainsFunc(w, func(r rune) bool { return r > unicode.MaxASCII }) {
			n++
		}
	}
	return n > 1 || otherScript().MatchString(message)
}

var (
	otherScript  = lazyregexp.New(`[^\p{Latin}\p{Common}\p{Inherited}]`)
	foreignWords = strings.Fields(`der das und ist wie wer wann welche welcher welches welchen nicht meine mein für mit von dem den ein eine einen hat hatte bis gibt sind zu im ich muss noch soll kann wo wem wen heute habe haben machen
		à je ai la le que ce sur avec qui quel quelle quels quelles où est les des une du pour combien mes mon dans quand comment pourquoi sont
		je tu nous vous c'est mi tengo está cuál
		el los las qué cuándo dónde cómo para con mis cuántos il gli che quando dove quanto sono qual onde meu minha het een van wat waar wanneer mijn`)
)

// Greets reports whether a message is a greeting or thanks, and no question.
func Greets(message string) bool {
	return len(Words(message)) <= 6 && !strings.ContainsAny(message, "?？") && greeting().MatchString(message)
}

var greeting = lazyregexp.New(`(?i)^(?:hi|hello|hey|good (?:morning|evening|afternoon|night)|thanks?|thank you|cheers|bye|goodbye|hallo|guten? (?:morgen|tag|abend|nacht)|servus|moin|danke|tschüss|bonjour|bonsoir|salut|merci|au revoir|hola|buenos días|buenas|gracias|adiós|ciao|buongiorno|grazie|olá|bom dia|obrigad[oa]|bedankt|dank je|goedemorgen)\b|^(?:ありがと|どうも|こんにち|こんばん|おはよう|さようなら|谢谢|多谢|你好|早上好|再见|감사|고마|안녕)`)

// Kind classifies an answer of the offline engine.
type Kind int

// The kinds.
const (
	Nothing Kind = iota // it found nothing
	Quotes              // passages
	Exact               // a list or a count, which needs no model
	Talk                // the message is not about notes
)

// Indexed classifies the embedded engine's answer to a question and returns the part to add to the prompt. A list does
// not answer a question that asks when, where or why.
func Indexed(question, answer string) (along string, kind Kind) {
	if strings.HasPrefix(answer, "I only understand English") {
		_, answer, _ = strings.Cut(answer, "\n\n")
	}
	quotes := strings.HasPrefix(answer, "> ") || strings.Contains(answer, "\n> ")
	switch {
	case answer == "" || noAnswer().MatchString(answer):
		return "", Nothing
	case !quotes && listed().MatchString(answer) && noList().MatchString(question):
		return "", Nothing
	case !quotes && listed().MatchString(answer):
		return answer, Exact
	case !quotes:
		return "", Talk
	}
	_, rest, _ := strings.Cut(answer, "\n\n")
	rest, _, _ = strings.Cut(rest, "\n\nSee also ")
	return rest, Quotes
}

var (
	noAnswer = lazyregexp.New(`^(?:I found nothing|Nothing )`)
	noList   = lazyregexp.New(`(?i)^(?:when|where|why|wann|wo|warum|quand|où|pourquoi)\b`)
	listed   = lazyregexp.New(`(?m)^- (?:\[\[|\[[ xX]\] )|^There (?:is|are) `)
)

// Several reports whether a request for one change may take several calls.
func Several(message string) bool { return several().MatchString(message) }

var several = lazyregexp.New(`(?i)\b(?:all|every|each|both|alle|jede\w*|beide|tous|toutes|chaque|todos|todas|tutti|tutte)\b|すべて|全部|所有|모든`)
