package offline

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
)

// maxOptions bounds the options of a question.
const maxOptions = 6

// choiceKind is what an answer to a question of ours says.
type choiceKind int

const (
	choseUnclear choiceKind = iota
	choseSome
	choseNone  // cancel, neither
	choseOther // a new request
)

// interpretChoice reads the answer to a question with numbered options. all says that
// several may be taken.
func interpretChoice(answer string, options []string, all bool) ([]int, choiceKind) {
	text := normal(strings.NewReplacer("[[", "", "]]", "").Replace(answer))
	if text == "" {
		return nil, choseUnclear
	}
	if noRE().MatchString(text) {
		return nil, choseNone
	}
	if bothRE().MatchString(text) {
		if !all {
			return nil, choseUnclear
		}
		out := make([]int, len(options))
		for i := range out {
			out[i] = i
		}
		return out, choseSome
	}
	if n, ok := ordinal(text, len(options)); ok {
		return []int{n}, choseSome
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
		return []int{at}, choseSome
	}
	return nil, choseUnclear
}

var (
	noRE   = lazy(`^(?:no|nope|cancel|neither|none|nothing|never ?mind|stop|abort|forget it|leave it|no thanks?|none of (?:them|these|those)|neither of (?:them|these|those)|don t|do not|skip(?: it)?)\b[\w ]{0,24}$`)
	bothRE = lazy(`^(?:both|all|all of (?:them|these|those)|both of (?:them|these|those)|every one|each|all (?:two|three|four|five|six))(?: please)?$`)
	yesRE  = lazy(`^(?:y|yes|yep|yeah|yup|sure|ok|okay|please do|do it|go ahead|confirm|confirmed|of course|absolutely|correct|right|delete it|replace all|all|all of them|yes please|create it|go on)(?: please| do it| do that| delete it| create it| go ahead| all of them| thanks?)*$`)
)

var asksRE = lazy(`(?i)^(?:and |but |so |actually,? |no,? )*(?:what|who|whom|whose|when|where|why|how|which|tell me|do i|did i|is there|are there)\b`)

var ordinals = map[string]int{
	"first": 1, "one": 1, "1st": 1, "former": 1, "top": 1, "second": 2, "two": 2, "2nd": 2, "latter": 2, "third": 3, "three": 3, "3rd": 3,
	"fourth": 4, "four": 4, "4th": 4, "fifth": 5, "five": 5, "5th": 5, "sixth": 6, "six": 6, "6th": 6,
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
		k, _ = strconv.Atoi(m[1])
	}
	return k - 1, 1 <= k && k <= n
}

var ordinalRE = lazy(`^(?:i (?:mean|meant|want) |it s |use |take |open |show |yes )?(?:the |number |no |option |nr )*(\d{1,2}|first|second|third|fourth|fifth|sixth|last|former|latter|top|one|two|three|four|five|six|1st|2nd|3rd|4th|5th|6th)(?: one| note| option| please| of them| result| hit)*$`)

// answersNothing says that nothing is being asked where a message reads like an answer to a
// question of ours ("the second one"): one that was asked would have taken it.
func (s *script) answersNothing(text string) bool {
	plain := normal(text)
	_, some := ordinal(plain, 99)
	if !some && !bothRE().MatchString(plain) && !yesRE().MatchString(plain) || len(s.exact(text)) > 0 {
		return false
	}
	hint := "Say what you would like, or **help**."
	if some && len(listed(s.past)) > 0 {
		hint = fmt.Sprintf("If you mean a note that was listed, say for instance *show %s*.", plain)
	}
	s.sayf("Nothing is being asked just now, so “%s” answers nothing. %s", oneLine(text), hint)
	return true
}

// optionScore rates how well an answer names an option, which is a path or a phrase.
func optionScore(answer, option string) float64 {
	n := newName(answer)
	plain := option
	if isNote(option) {
		plain = retrieval.Name(option)
	}
	s := max(n.score(plain), n.pathScore(option))
	// "the one in People", "the meeting one"
	have := tokensOf(strings.TrimSuffix(option, path.Ext(option)))
	hit := 0
	for _, a := range n.tokens {
		for _, h := range have {
			if similarity(a, h) > 0.7 {
				hit++
				break
			}
		}
	}
	if len(n.tokens) > 0 {
		s = max(s, 0.8*float64(hit)/float64(len(n.tokens)))
	}
	return s
}

// choose asks which of the options is meant and returns their indices; none where the user
// wants none of them. The question lists the options.
func (s *script) choose(intro string, options []string, all bool) ([]int, error) {
	var b strings.Builder
	b.WriteString(intro + "\n\n")
	for i, o := range options {
		if isNote(o) {
			fmt.Fprintf(&b, "%d. **%s** (%s)\n", i+1, retrieval.Name(o), o)
		} else {
			fmt.Fprintf(&b, "%d. %s\n", i+1, o)
		}
	}
	hint := "\nAnswer with a number or a name"
	if all && len(options) == 2 {
		hint += ", “both”"
	} else if all {
		hint += ", “all”"
	}
	b.WriteString(hint + ", or “cancel”.")
	question := b.String()
	for {
		answer, turn, err := s.ask(question)
		if err != nil {
			return nil, err
		}
		picked, kind := interpretChoice(answer, options, all)
		if kind == choseUnclear && newRequest(answer) {
			return nil, &abandonError{turn}
		}
		if kind != choseUnclear {
			return picked, nil
		}
		question = "I did not catch which one you mean. " + b.String()
	}
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

// confirm asks a yes-or-no question.
func (s *script) confirm(question string) (bool, error) {
	text := question + " (yes / no)"
	for {
		answer, turn, err := s.ask(text)
		if err != nil {
			return false, err
		}
		plain := normal(answer)
		switch {
		case yesRE().MatchString(plain):
			return true, nil
		case noRE().MatchString(plain) || plain == "n":
			return false, nil
		case newRequest(answer):
			return false, &abandonError{turn}
		}
		text = "Please answer yes or no. " + question
	}
}

// The ways a search for a note ends.
type pickResult int

const (
	pickedNone   pickResult = iota // nothing fits; nothing was said yet
	pickedSome                     //
	pickedCancel                   // the user was asked and wants none; that was said
)

// pick finds the notes a name means, asking where several fit. all allows more than one.
func (s *script) pick(name, purpose string, all bool) ([]string, pickResult, error) {
	if name == grammar.It || name == "" {
		p := lastNote(s.past, s.made)
		if p == "" || !s.view.has(p) {
			return nil, pickedNone, nil
		}
		return []string{p}, pickedSome, nil
	}
	if list := listed(s.past); len(list) > 0 {
		if n, ok := ordinal(normal(name), len(list)); ok && s.view.has(list[n]) && len(s.exact(name)) == 0 {
			return []string{list[n]}, pickedSome, nil
		}
	}
	if p := s.daily(name); p != "" && s.view.has(p) {
		return []string{p}, pickedSome, nil
	}
	c := s.view.resolve(name)
	if len(c) == 0 || c[0].score < fitsSurely {
		return nil, pickedNone, nil
	}
	same := distinct(c)
	if len(same) == 1 {
		return []string{same[0].path}, pickedSome, nil
	}
	more := ""
	if len(same) > maxOptions {
		more = fmt.Sprintf(" (the %d newest of %d)", maxOptions, len(same))
		same = same[:maxOptions]
	}
	options := make([]string, len(same))
	for i, o := range same {
		options[i] = o.path
	}
	many := map[int]string{2: "Two notes fit"}[len(options)]
	if many == "" {
		many = fmt.Sprintf("%d notes fit", len(options))
	}
	picked, err := s.choose(fmt.Sprintf("%s “%s”%s. Which one should I %s?", many, name, more, purpose), options, all)
	if err != nil {
		return nil, pickedNone, err
	}
	if len(picked) == 0 {
		s.say("All right, I leave it.")
		return nil, pickedCancel, nil
	}
	var out []string
	for _, i := range picked {
		out = append(out, options[i])
	}
	return out, pickedSome, nil
}

// exact are the notes that have exactly this name.
func (s *script) exact(name string) []candidate {
	var out []candidate
	for _, c := range s.view.resolve(name) {
		if c.score >= fitsExactly {
			out = append(out, c)
		}
	}
	return out
}

// one is pick for a command that needs a single note; it says so where none fits.
func (s *script) one(name, purpose string) (string, bool, error) {
	p, result, err := s.pick(name, purpose, false)
	if err != nil || result == pickedCancel {
		return "", false, err
	}
	if result == pickedNone {
		return s.guess(name, purpose)
	}
	return p[0], true, nil
}

// guess asks whether a note that fits a name only roughly is meant, and says that there is
// none where nothing comes near.
func (s *script) guess(name, purpose string) (string, bool, error) {
	if name == grammar.It || name == "" {
		s.sayf("I do not know which note you mean. Please name it, for instance: *%s “Name of the note”*.", purpose)
		return "", false, nil
	}
	if p := s.daily(name); p != "" {
		s.sayf("There is no daily note `%s`. Say *add “…” to %s's note* to begin it.", p, strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s"))
		return "", false, nil
	}
	c := s.view.resolve(name)
	if len(c) == 0 {
		s.sayf("There is no note called “%s”. Say *list notes* to see what there is.", name)
		return "", false, nil
	}
	if len(c) > 3 {
		c = c[:3]
	}
	options := make([]string, len(c))
	for i := range c {
		options[i] = c[i].path
	}
	picked, err := s.choose(fmt.Sprintf("There is no note called “%s”. Which of these should I %s?", name, purpose), options, false)
	if err != nil {
		return "", false, err
	}
	if len(picked) == 0 {
		s.say("All right, I leave it.")
		return "", false, nil
	}
	return options[picked[0]], true, nil
}

var dailyRE = lazy(`^(?:the )?(?:daily note|daily|journal|diary)(?: entry| note)?(?: (?:of|for|from) (.+))?$|^(.+?)(?: s)? (?:daily note|daily|note|journal|journal entry|diary|diary entry|page|entry)$`)

// daily is the path of the daily note a name means ("today's note"), whether it exists or
// not; empty where the name means none.
func (s *script) daily(name string) string {
	text := normal(name)
	day := text
	if m := dailyRE().FindStringSubmatch(text); m != nil {
		day = m[1] + m[2]
		if day == "" {
			day = "today"
		}
	}
	switch day {
	case "today", "todays", "today s":
		day = "today"
	case "yesterday", "yesterdays", "yesterday s":
		day = "yesterday"
	default:
		day = strings.TrimSuffix(day, " s")
		if text == day { // a bare date is the name of a note like any other
			return ""
		}
	}
	when, rest := grammar.FindTime(spacedDate().ReplaceAllString(day, "$1-$2-$3"), s.now, false)
	if when.IsZero() || rest != "" || when.To.Sub(when.From) > 26*time.Hour {
		return ""
	}
	return path.Join(s.dailyFolder(), when.From.Format(time.DateOnly)+".md")
}

// spacedDate is an ISO date as normal leaves it.
var spacedDate = lazy(`\b(\d{4}) (\d{2}) (\d{2})\b`)

var dayName = lazy(`^\d{4}-\d{2}-\d{2}$`)

// dailyFolder is the folder that holds most notes named by a date.
func (s *script) dailyFolder() string {
	count := map[string]int{}
	best := ""
	for p := range s.view.notes {
		if dayName().MatchString(retrieval.Name(p)) {
			d := path.Dir(p)
			count[d]++
			if count[d] > count[best] || count[d] == count[best] && d < best {
				best = d
			}
		}
	}
	if best == "." {
		return ""
	}
	return best
}
