package offline

import "chatvault/internal/lazyregexp"

var partlyRE = lazyregexp.New(`^The user took (\d+) of the (\d+) parts of this change\.`)

// partly says, where the user took a part of a change only, that it is no more than that.
func (s *script) partly(c call) {
	if m := partlyRE().FindStringSubmatch(c.result); m != nil && !c.failed {
		s.sayf("Of what I was to change in %s you took %s of %s parts; the others are as they were.", cite(c.place(), 0), m[1], m[2])
	}
}
