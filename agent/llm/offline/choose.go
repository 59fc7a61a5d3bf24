package offline

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
)

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
		if !all {
			return nil, false
		}
		out := make([]int, len(options))
		for i := range out {
			out[i] = i
		}
		return out, true
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
	s.sayf("There is no open question, so “%s” answers nothing. %s", oneLine(text), hint)
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
		for _, h := range have {
			if naming.Similarity(a, h) > 0.7 {
				hit++
				break
			}
		}
	}
	if len(n.Tokens) > 0 {
		s = max(s, 0.8*float64(hit)/float64(len(n.Tokens)))
	}
	return s
}
