package goal

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// ParseVerdict reads what a check answered: MET, NOT MET or UNKNOWN and why, on a line of its own,
// or a JSON object with met and why; either may stand in a code fence or among other words. An
// answer that says more than one of them, or none, is not clear.
func ParseVerdict(s string) Verdict {
	s = unthought(s)
	if v, ok := jsonVerdict(s); ok {
		return v
	}
	lines := strings.Split(s, "\n")
	var found Verdict
	for i, line := range lines {
		v := lineVerdict(line)
		switch {
		case !v.Clear:
		case !found.Clear:
			found = v
			found.Why = cmp.Or(v.Why, text.Unmarked(nextLine(lines[i+1:])))
		case v.Met != found.Met || v.Unknown != found.Unknown:
			return Verdict{}
		}
	}
	found.Why = text.Excerpt(found.Why, maxWhy)
	return found
}

// verdictHeads begin a line with a verdict, the longer before the shorter.
var verdictHeads = []struct {
	text         string
	met, unknown bool
}{
	{text: "not yet met"},
	{text: "not met"},
	{text: "not_met"},
	{text: "unmet"},
	{text: "met", met: true},
	{text: "unknown", unknown: true},
	{text: "cannot judge", unknown: true},
}

// lineVerdict reads a line that begins with the verdict. Where that is not in capitals it must be
// the whole line or end with a mark, so that no sentence is mistaken for one.
func lineVerdict(line string) Verdict {
	line, sentence := unlabelled(text.Unmarked(line))
	for _, head := range verdictHeads {
		rest, ok := text.CutFold(line, head.text)
		if !ok {
			continue
		}
		shouted := line[:len(head.text)] == strings.ToUpper(head.text)
		why := strings.TrimLeft(rest, " \t:.,;!–—-")
		marked := strings.ContainsAny(rest[:len(rest)-len(why)], ":.,;!–—-")
		if head.met && partly(rest) {
			return Verdict{Clear: true, Why: line}
		}
		if rest == "" || marked || shouted && !sentence && strings.HasPrefix(rest, " ") {
			return Verdict{Clear: true, Met: head.met, Unknown: head.unknown, Why: why}
		}
		return Verdict{}
	}
	return Verdict{}
}

var (
	// verdictLabel may stand before a verdict: "Goal status:", "The goal is".
	verdictLabel = lazyregexp.New(`(?i)^(?:the )?(?:final )?(?:goal )?(?:verdict|answer|result|status|goal)(?::| is:?| has been) *`)
	// countOf counts how much of the goal is met: "Met: 3 of 5 recipes".
	countOf = lazyregexp.New(`^[ \t:.,;!–—-]*(\d+) *(?:/|of|out of) *(\d+)\b`)
	// thought is what a model thinks aloud before it answers.
	thought = lazyregexp.New(`(?is)<(think|thinking)>.*?</(?:think|thinking)>`)
)

// partly says whether what follows "met" counts less than the whole.
func partly(rest string) bool {
	m := countOf().FindStringSubmatch(rest)
	if m == nil {
		return false
	}
	some, err := strconv.Atoi(m[1])
	all, err2 := strconv.Atoi(m[2])
	return err == nil && err2 == nil && some < all
}

// unthought is an answer without what was thought aloud, also where only the end of that is there.
func unthought(text string) string {
	text = thought().ReplaceAllString(text, "\n")
	for _, end := range []string{"</think>", "</thinking>"} {
		if i := strings.LastIndex(text, end); i >= 0 {
			text = text[i+len(end):]
		}
	}
	return text
}

// unlabelled is a line without what names it a verdict; sentence says that it went on from there as
// one, so that "The goal is MET if …" is none.
func unlabelled(line string) (rest string, sentence bool) {
	at := verdictLabel().FindStringIndex(line)
	if at == nil {
		return line, false
	}
	return text.Unmarked(line[at[1]:]), !strings.Contains(line[:at[1]], ":")
}

// nextLine is the first of the lines that says something.
func nextLine(lines []string) string {
	for _, l := range lines {
		if t := strings.TrimSpace(l); t != "" && !strings.HasPrefix(t, "```") {
			return l
		}
	}
	return ""
}

// jsonVerdict reads the first JSON object in a text that says whether the goal is met.
func jsonVerdict(text string) (Verdict, bool) {
	for range 20 {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		text = text[i:]
		var object map[string]any
		if json.NewDecoder(strings.NewReader(text)).Decode(&object) == nil {
			if v, ok := objectVerdict(object); ok {
				return v, true
			}
		}
		text = text[1:]
	}
	return Verdict{}, false
}

func objectVerdict(object map[string]any) (v Verdict, ok bool) {
	for key, value := range object {
		switch strings.ToLower(key) {
		case "met":
			if s, is := value.(string); is && event.PlainAnswer(s) == "unknown" {
				v.Unknown, ok = true, true
				continue
			}
			v.Met, ok = isTrue(value)
		case "why", "reason":
			if s, is := value.(string); is {
				v.Why = text.Excerpt(s, maxWhy)
			}
		}
	}
	v.Clear = ok
	return v, ok
}

// isTrue reads a truth value as models write it.
func isTrue(value any) (truth, ok bool) {
	switch value := value.(type) {
	case bool:
		return value, true
	case string:
		switch event.PlainAnswer(value) {
		case "true", "yes", "met":
			return true, true
		case "false", "no", "not met":
			return false, true
		}
	}
	return false, false
}
