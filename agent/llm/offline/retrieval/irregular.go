package retrieval

import (
	"strings"
	"sync"
)

// irregular maps English forms that no suffix rule reaches to their base, and
// American spellings to the British ones the thesaurus is written in.
var irregular = sync.OnceValue(irregularForms)

func irregularForms() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(irregularTable) {
		words := strings.Fields(line)
		for i := 1; i < len(words); i++ {
			m[words[i]] = words[0]
		}
	}
	return m
}

// irregularTable has a base and its forms on each line.
const irregularTable = `
be was were been is are am
begin began begun
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
come came
dig dug
do did done
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feel felt
fight fought
find found
fly flew flown
forget forgot forgotten
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hear heard
hide hid hidden
hold held
keep kept
know knew known
lead led
lend lent
lose lost
make made
mean meant
meet met
pay paid
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
sell sold
send sent
sew sewn
shake shook shaken
shine shone
sing sang sung
sink sank sunk
sit sat
sleep slept
sow sown
speak spoke spoken
spend spent
stand stood
steal stole stolen
stick stuck
swim swam swum
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
weave wove woven
win won
write wrote written
child children
foot feet
goose geese
half halves
knife knives
leaf leaves
life lives
loaf loaves
man men
mouse mice
person people
shelf shelves
thief thieves
tooth teeth
wife wives
wolf wolves
woman women
good better best
bad worse worst
die died dying dies
tie tying
lie lying
marry married marriage
plan planned planner planning
advice advise advised
diagnosis diagnosed diagnose
injury injured injure
allergy allergic
prescription prescribed prescribe
measure measurement measurements
photo photos photograph photographs
chilli chili chile chilies chillies
yoghurt yogurt
colour color colors
flavour flavor flavors
neighbour neighbor neighbors
favourite favorite favorites
centre center centers
theatre theater theaters
tyre tire tires
grey gray
jewellery jewelry
fertiliser fertilizer
organise organize organized
summarise summarize summarized
mould mold
licence license
programme program programs
aluminium aluminum
enrol enroll
traveller traveler travelers
doughnut donut donuts
monday mon
tuesday tue tues
wednesday wed
thursday thu thur thurs
friday fri
january jan
february feb
april apr
august aug
september sep sept
october oct
november nov
december dec
cosy cozy
`
