package grammar

import (
	"strings"
	"time"
)

// One verb may serve several requests: "move A to B and C to D". Such a clause is read as what it
// says at length, where each part of it is a request of its own then.

var (
	listMark   = pattern(`\s*,\s*(?:and\s+(?:then\s+)?)?|\s*;\s*|\s+and\s+(?:then\s+)?`)
	movesVerb  = pattern(`^(move|shift|relocate|transfer|drag|rename|retitle)\s+(.+)$`)
	movesTo    = pattern(`\s(?:to|into|under|inside|->|→)\s`)
	swaps      = pattern(`^(replace|substitute|swap|change)\s+(\x00+\s+(?:with|by|for|to)\s+\x00+(?:\s*(?:,|,?\s+and)\s+(?:also\s+)?\x00+\s+(?:with|by|for|to)\s+\x00+)+)(\s+(?:everywhere|(?:in|inside|within|of|throughout)\s.+))?$`)
	addsAgain  = pattern(`\s*(?:,|,?\s+and)\s+(?:also\s+)?(\x00+\s+(?:to|into|in|on|under|below)\s)`)
	addsVerb   = pattern(`^(add|append|insert|put|write|prepend)\s`)
	takesAgain = pattern(`^(remove|delete|erase|strike)\s+(\x00+(?:\s*(?:,|,?\s+and)\s+\x00+)+)(\s+(?:from|out of)\s.+)$`)
	makesList  = pattern(`^(?:create|make|add|start|new|set up)\s+(?:me\s+)?(?:(?:the|some|two|three|four|five|six|several|\d+)\s+)?(?:new\s+|empty\s+)*(notes|files|pages|folders|directories)\s*(?::|called|named|titled)?\s+(.+?)(\s+(?:in|inside|under|within)\s+[^,]+)?$`)
	ofTopic    = pattern(`^(?:about|on|for|from|of|with|to|that|in)\b|\b(?:with|containing|saying)\b|:`)
)

// shared are the clauses that a clause with one verb for several requests stands for, as commands;
// nil where it is not of that kind.
func shared(raw string, now time.Time) []Command {
	s := Bare(raw)
	if len(s) > maxCommandText || strings.Contains(s, "\n") {
		return nil
	}
	place := ""
	if m := submatches(s, leadIn); m != nil {
		place, s = s[:len(s)-len(m[3])], m[3]
	}
	parts := sharedParts(trimEnd(s))
	if len(parts) < 2 || len(parts) > maxClauses {
		return nil
	}
	var out []Command
	for _, p := range parts {
		c := clause(place+p, now)
		if !c.Changes() || !complete(c) {
			return nil
		}
		out = append(out, c)
	}
	return out
}

// sharedParts spells out the parts of a clause, each with the verb.
func sharedParts(s string) []string {
	var out []string
	if m := submatches(s, movesVerb); m != nil {
		names := ""
		for _, p := range listed(m[2]) {
			if names += p; !movesTo().MatchString(mask(p)) {
				names += " and " // several that go to the same place
				continue
			}
			out = append(out, m[1]+" "+names)
			names = ""
		}
		if names != "" {
			return nil
		}
		return out
	}
	if m := submatches(s, swaps, takesAgain); m != nil {
		for _, p := range listed(m[2]) {
			out = append(out, m[1]+" "+strings.TrimPrefix(p, "also ")+m[3])
		}
		return out
	}
	if m := submatches(s, makesList); m != nil && !ofTopic().MatchString(mask(m[2])) {
		what := " a note called "
		if strings.HasPrefix(strings.ToLower(m[1]), "folder") || strings.HasPrefix(strings.ToLower(m[1]), "dir") {
			what = " a folder called "
		}
		for _, p := range listed(m[2]) {
			out = append(out, "create"+what+p+m[3])
		}
		return out
	}
	verb := addsVerb().FindStringSubmatch(s)
	if verb == nil {
		return nil
	}
	from := 0
	for _, at := range addsAgain().FindAllStringSubmatchIndex(mask(s), maxClauses) {
		out = append(out, s[from:at[0]])
		from = at[2]
	}
	out = append(out, s[from:])
	for i := range out[1:] {
		out[i+1] = verb[1] + " " + out[i+1]
	}
	return out
}

// listed cuts an enumeration at its commas and its "and".
func listed(s string) []string {
	var out []string
	from := 0
	for _, at := range listMark().FindAllStringSubmatchIndex(mask(s), -1) {
		out = append(out, s[from:at[0]])
		from = at[1]
	}
	return append(out, s[from:])
}
