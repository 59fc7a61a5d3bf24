package offline

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// What the tool that offers options takes.
const (
	minOffered = 2
	maxOffered = 9
	maxLabel   = 120  // characters of an option
	maxOffer   = 2000 // characters of the question
)

// question is what the user is asked.
type question struct {
	text    string
	options []string // of which the user may pick one
	listed  string   // text with the options in it, for where they cannot be offered
}

// ask asks the user and returns the answer: of several messages the first that fits. The others
// are carried out when what was asked before is done. Where nothing can be asked by a tool, the
// question becomes the answer's text.
func (s *script) ask(q question, fits func(message) bool) message {
	for {
		p := s.asking(q)
		if offered, ok := s.offered(); ok && !slices.Equal(offered, q.options) ||
			s.again(sendMessage) && s.record[s.next].call.asks() && s.record[s.next].call.arg("message") != q.listed {
			panic(stop{errLost}) // what was asked is no longer the question
		}
		if !s.nextCall() && !s.tools[p.name] {
			panic(s.ending(errAsked, "%s", q.listed))
		}
		c := s.call(p.name, p.args)
		list, early := s.replies()
		switch {
		case len(list) == 0 && s.next == len(s.record): // the turn ends here and does not come back before the answer, unless the tool failed
			panic(s.ending(errAsked, "%s", q.listed))
		case len(list) == 0 || c.failed:
			panic(stop{errDiverge})
		case early:
			s.meanwhile(list)
			continue
		}
		k := max(slices.IndexFunc(list, fits), 0)
		for i, m := range list {
			if i != k {
				s.enqueue(m)
			}
		}
		return list[k]
	}
}

// replies are the messages after a question. early says that they were sent before it was seen.
func (s *script) replies() (list []message, early bool) {
	if s.next < len(s.record) && s.record[s.next].kind == stepTurn {
		s.begin(s.record[s.next])
		s.next++
	}
	for ; s.next < len(s.record) && s.record[s.next].kind == stepMessage; s.next++ {
		m := s.record[s.next].message
		m.text = strings.TrimSpace(m.text)
		list = append(list, m)
		early = early || s.record[s.next].early
	}
	return list, early
}

// meanwhile carries out requests while a question waits.
func (s *script) meanwhile(list []message) {
	now, planned, chosen := s.now, s.planned, s.chosen
	defer func() { s.now, s.planned, s.chosen = now, planned, chosen }()
	for _, m := range list {
		endsCommand(stopped(func() { s.carryOut(s.understand(m, false)) }))
	}
}

// offerable says whether the tool that offers options takes the question.
func (q question) offerable() bool {
	if n := len(q.options); n < minOffered || n > maxOffered || utf8.RuneCountInString(q.text) > maxOffer {
		return false
	}
	for i, o := range q.options {
		if o == "" || utf8.RuneCountInString(o) > maxLabel || contains(q.options[:i], o) {
			return false
		}
	}
	return true
}

// asking is the call that asks a question, the one that did where it was asked already.
func (s *script) asking(q question) planned {
	offer := s.tools[askUser] && q.offerable()
	if s.nextCall() {
		offer = s.again(askUser)
	}
	if offer {
		return planned{askUser, args{"question": q.text, "options": q.options}}
	}
	return planned{sendMessage, args{"message": q.listed, "is_question": true}}
}

// choose asks which of the options is meant and returns their indices. all says that several may be
// taken. The command ends where the user wants none of them.
func (s *script) choose(intro string, options []string, all bool) []int {
	if s.sketch != nil {
		s.sketch.step(fmt.Sprintf("Ask you: %s (%s)", oneLine(intro), strings.Join(labels(options), "; ")))
		panic(stop{errLeft})
	}
	order, options := s.asOffered(options)
	q := choice(intro, options, all)
	unclear := "I did not catch which one you mean. "
	picked := s.answered(q, question{unclear + q.text, q.options, unclear + q.listed}, func(m message) ([]int, bool) {
		if picked, ok := chosenOption(m, q.options); ok {
			return picked, true
		}
		return interpretChoice(m.text, options, all)
	})
	s.chosen = true
	for i, k := range picked {
		picked[i] = order[k]
	}
	if len(picked) == 0 {
		panic(s.ending(errLeft, "%s", unchanged))
	}
	return picked
}

// answered asks until read understands the answer; again is the question of the second time on. A new
// request in place of an answer ends the message that the question belongs to.
func (s *script) answered(q, again question, read func(message) (picked []int, ok bool)) []int {
	fits := func(m message) bool { _, ok := read(m); return ok }
	for ; ; q = again {
		m := s.ask(q, fits)
		picked, ok := read(m)
		switch {
		case ok:
			return picked
		case newRequest(m.text):
			panic(stop{&abandonError{m}})
		}
	}
}

// asOffered are the options, and which they were, as they were offered where the record holds the
// question. What came to the vault since may have changed them: then the question is lost.
func (s *script) asOffered(options []string) (order []int, asked []string) {
	have := labels(options)
	offered, ok := s.offered()
	if !ok {
		offered = have
	}
	for _, o := range offered {
		k := slices.Index(have, o)
		if k < 0 {
			panic(stop{errLost})
		}
		order, asked = append(order, k), append(asked, options[k])
	}
	return order, asked
}

// offered are the options of the question that the record goes on with.
func (s *script) offered() (options []string, ok bool) {
	if !s.again(askUser) {
		return nil, false
	}
	list, _ := s.record[s.next].call.args["options"].([]any)
	return text.Of(list, func(o any) string { return fmt.Sprint(o) }), true
}

// choice is the question which of the options is meant.
func choice(intro string, options []string, all bool) question {
	hint := ""
	if all && len(options) == 2 {
		hint = ", “both”"
	} else if all {
		hint = ", “all”"
	}
	var b strings.Builder
	b.WriteString(intro + "\n\n")
	for i, o := range options {
		if naming.IsNote(o) {
			fmt.Fprintf(&b, "%d. **%s** (%s)\n", i+1, retrieval.Name(o), o)
		} else {
			fmt.Fprintf(&b, "%d. %s\n", i+1, o)
		}
	}
	b.WriteString("\nAnswer with a number or a name" + hint + ", or “cancel”.")
	text := intro + " (Or say " + strings.TrimPrefix(strings.TrimPrefix(hint+" or “cancel”.)", ", "), " or ")
	return question{text: text, options: labels(options), listed: b.String()}
}

// labels are the options as a list offers them.
func labels(options []string) []string {
	out := make([]string, len(options))
	for i, o := range options {
		if out[i] = oneLine(o); naming.IsNote(o) && len(o) < maxLabel/2 {
			out[i] = fmt.Sprintf("%s (%s)", retrieval.Name(o), o)
		}
		out[i] = clip(out[i], maxLabel-4)
	}
	return out
}

var pickedRE = lazyregexp.New(`The user chose option (\d+)\b`)

// chosenOption reads an answer that is one of the options that were offered, or of which the
// agent says so.
func chosenOption(m message, options []string) (picked []int, ok bool) {
	if i := slices.IndexFunc(options, func(o string) bool { return strings.EqualFold(m.text, o) }); i >= 0 {
		return []int{i}, true
	}
	if n := pickedRE().FindStringSubmatch(m.context); n != nil {
		if k, err := strconv.Atoi(n[1]); err == nil && 1 <= k && k <= len(options) {
			return []int{k - 1}, true
		}
	}
	return nil, false
}

// newRequest says whether an answer is rather something new to do than an answer.
func newRequest(answer string) bool {
	commands := grammar.Parse(answer, time.Time{})
	for _, c := range commands {
		switch c.Kind {
		case grammar.Question:
			if c.Sure || strings.Contains(answer, "?") || asksRE().MatchString(answer) || len(retrieval.ContentWords(answer)) >= 4 {
				return true
			}
		case grammar.Cancel, grammar.Thanks, grammar.Greet, grammar.Continue:
		default:
			return true
		}
	}
	return false
}

// unchanged is said where the user wants none of what was offered.
const unchanged = "All right, nothing was changed."

// confirm is yes. A plan takes it for granted, since it says what would be done; who approved the
// plan is not asked again.
func (s *script) confirm(question string) {
	if s.sketch == nil && (!s.planned || s.chosen) {
		s.yes(question, unchanged)
	}
}

// yes asks a yes-or-no question. The command ends where the answer is no; then declined is said.
func (s *script) yes(text, declined string) {
	options := []string{"Yes", "No"}
	unclear := "Please answer yes or no. " + text
	picked := s.answered(question{text, options, text + " (yes / no)"}, question{unclear, options, unclear}, func(m message) ([]int, bool) {
		if picked, ok := chosenOption(m, options); ok {
			return picked, true
		}
		plain := naming.Normal(m.text)
		switch {
		case yesRE().MatchString(plain) || plain == "1":
			return []int{0}, true
		case noRE().MatchString(plain) || plain == "n" || plain == "2":
			return []int{1}, true
		}
		return nil, false
	})
	if picked[0] == 1 {
		panic(s.ending(errLeft, "%s", declined))
	}
}

// chooseItem asks which of so many items is meant, of many which of the first; one alone needs no question.
func (s *script) chooseItem(question string, n int, item func(i int) string) int {
	if n == 1 {
		return 0
	}
	options := make([]string, min(n, maxOptions))
	for i := range options {
		options[i] = item(i)
	}
	return s.chooseOne(question, options)
}

// chooseOne asks which of the options is meant.
func (s *script) chooseOne(question string, options []string) int {
	return s.choose(question, options, false)[0]
}

// maxOptions bounds the options of a question.
const maxOptions = 6

// interpretChoice reads the answer to a question with numbered options. all says that
// several may be taken; none of them is an answer too.
func interpretChoice(answer string, options []string, all bool) (picked []int, ok bool) {
	text := naming.Normal(strings.NewReplacer("[[", "", "]]", "").Replace(answer))
	if noRE().MatchString(text) {
		return nil, true
	}
	if bothRE().MatchString(text) {
		for i := range options {
			picked = append(picked, i)
		}
		return picked, all
	}
	if n, ok := ordinal(text, len(options)); ok {
		return []int{n}, true
	}
	best, at, second := 0.0, -1, 0.0
	for i, o := range options {
		s := optionScore(answer, o)
		if s > best {
			best, at, second = s, i, best
		} else if s > second {
			second = s
		}
	}
	if at >= 0 && best >= 0.3 && best-second > 0.02 {
		return []int{at}, true
	}
	return nil, false
}

var (
	noRE   = lazyregexp.New(`^(?:no|nope|cancel|neither|none|nothing|never ?mind|stop|abort|forget it|leave it|no thanks?|none of (?:them|these|those)|neither of (?:them|these|those)|don t|do not|skip(?: it)?)\b[\w ]{0,24}$`)
	bothRE = lazyregexp.New(`^(?:both|all|all of (?:them|these|those)|both of (?:them|these|those)|every one|each|all (?:two|three|four|five|six))(?: please)?$`)
	yesRE  = lazyregexp.New(`^(?:y|yes|yep|yeah|yup|sure|ok|okay|please do|do it|go ahead|confirm|confirmed|of course|absolutely|correct|right|delete it|replace all|all|all of them|yes please|create it|go on|continue|proceed|carry on|carry it out)(?: please| do it| do that| delete it| create it| go ahead| all of them| thanks?)*$`)
)

var asksRE = lazyregexp.New(`(?i)^(?:and |but |so |actually,? |no,? )*(?:what|who|whom|whose|when|where|why|how|which|tell me|do i|did i|is there|are there)\b`)

var ordinals = map[string]int{
	"first": 1, "one": 1, "former": 1, "top": 1, "second": 2, "two": 2, "latter": 2, "third": 3, "three": 3,
	"fourth": 4, "four": 4, "fifth": 5, "five": 5, "sixth": 6, "six": 6,
}

// ordinal reads "the second", "2", "number two", "the last one": an index from 0.
func ordinal(text string, n int) (int, bool) {
	m := ordinalRE().FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	k, ok := ordinals[m[1]]
	if m[1] == "last" {
		k = n
	} else if !ok {
		k, _ = strconv.Atoi(strings.TrimRight(m[1], "dhnrst"))
	}
	return k - 1, 1 <= k && k <= n
}

var ordinalRE = lazyregexp.New(`^(?:i (?:mean|meant|want) |it s |use |take |open |show |yes )?(?:the |number |no |option |nr )*(\d{1,2}(?:st|nd|rd|th)?|first|second|third|fourth|fifth|sixth|last|former|latter|top|one|two|three|four|five|six)(?: one| note| option| please| of them| result| hit)*$`)

// answersNothing says that nothing is being asked where a message reads like an answer to a
// question of ours ("the second one"): one that was asked would have taken it.
func (s *script) answersNothing(text string) bool {
	plain := naming.Normal(text)
	_, some := ordinal(plain, 99)
	if !some && !bothRE().MatchString(plain) && !yesRE().MatchString(plain) || len(s.exact(text)) > 0 {
		return false
	}
	hint := "Say what you would like, or **help**."
	if some && len(listed(s.past)) > 0 {
		hint = fmt.Sprintf("If you mean a note that was listed, say for instance *show %s*.", plain)
	}
	s.failf("There is no open question, so “%s” answers nothing. %s", oneLine(text), hint)
	return true
}

// optionScore rates how well an answer names an option, which is a path or a phrase.
func optionScore(answer, option string) float64 {
	n := naming.NewName(answer)
	plain := option
	if naming.IsNote(option) {
		plain = retrieval.Name(option)
	}
	s := max(n.Score(plain), n.PathScore(option))
	// "the one in People", "the meeting one"
	have := naming.TokensOf(strings.TrimSuffix(option, path.Ext(option)))
	hit := 0
	for _, a := range n.Tokens {
		if slices.ContainsFunc(have, func(h string) bool { return naming.Similarity(a, h) > 0.7 }) {
			hit++
		}
	}
	if len(n.Tokens) > 0 {
		s = max(s, 0.8*float64(hit)/float64(len(n.Tokens)))
	}
	return s
}
