package offline

import "chatvault/internal/lazyregexp"

var partlyRE = lazyregexp.New(`^The user accepted (\d+) of the (\d+) parts of this change\.`)

// partly says, where the user took a part of a change only, that it is no more than that.
func (s *script) partly(c call) {
	if m := partlyRE().FindStringSubmatch(c.result); m != nil && !c.failed {
		s.sayf("Of my change to %s you accepted %s of %s parts; the others are unchanged.", cite(c.place(), 0), m[1], m[2])
	}
}
