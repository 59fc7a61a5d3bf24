package grammar

// talkPattern is a phrase that is about the conversation, not the notes.
type talkPattern struct {
	kind Kind
	re   *expression
}

var talkPatterns = []talkPattern{
	{Help, pattern(`^(?:help|help me|/help|\?+|h|commands?|usage|how (?:do|does|can|should) (?:i|this|it|you) (?:work|use (?:this|you|it|chatvault))|how does this work|what can (?:you|i|this) (?:do|ask|say|type)(?: here| for me| with (?:my |the )?(?:notes|vault))?|what (?:do|can) you (?:do|know how to do|understand|offer)|what are (?:you able to do|your (?:commands|abilities|features|capabilities))|what (?:is|are) (?:possible|the commands)|show (?:me )?(?:the )?(?:help|commands)|what now|where do i (?:start|begin)|getting started|tutorial)[\s?!.]*$`)},
	{About, pattern(`^(?:who|what) are you[\s?!.]*$|^are you (?:an? |the )?(?:ai|llm|real|human|bot|robot|language model|chat ?gpt|gpt|claude|model|person|chatbot|online|offline|connected)\b.*$|^(?:which|what) (?:model|llm|ai|engine|language model)\b.*(?:you|this|use|using)?[\s?!.]*$|^(?:what(?:'s| is) your name|who made you|what is chatvault|what is the offline engine|how do you work)[\s?!.]*$`)},
	{Greet, pattern(`^(?:hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|hi there|hello there|hey there|what'?s up|sup|moin|how are you(?: doing)?(?: today)?)(?:\s+(?:chatvault|there|again|you|friend))?[\s!.,?]*$`)},
	{Thanks, pattern(`^(?:(?:ok(?:ay)?|great|good|nice|cool|perfect|awesome|excellent|super|wonderful|lovely|brilliant|well done|good job|nice work)[\s,!.]*)*(?:thanks?(?: you)?|thx|ty|cheers|much appreciated|many thanks|that'?s (?:all|it)|nothing else|no thanks?)?(?:\s+(?:a lot|so much|very much|again|for now|for that|for your help))?[\s!.]*$`)},
	{Continue, pattern(`^(?:(?:continue|go on|carry on|keep going|keep at it|proceed|resume|go ahead)(?: with (?:it|that|this|the rest|what you were doing|my (?:last )?request))?(?: now)?|next|and then|more|(?:and |now )?the rest|finish (?:it|that|the rest)|(?:bitte )?(?:weiter(?:machen)?|(?:mach(?:e|en sie)?|fahr(?:e|en sie)?) (?:bitte )?(?:weiter|fort)|fortfahren)(?: bitte)?|continu(?:er|ez|a|ar|are)|contin[uú]a|va avanti|sigue|prosigue|poursui[st]|verder|ga (?:door|verder)|forts[aä]tt|kontynuuj)[\s!.]*$`)},
	{Cancel, pattern(`^(?:cancel|never ?mind|forget (?:it|that|about it)|stop|abort|leave it|don'?t bother|no,? (?:don'?t|leave it|stop|cancel))[\s!.]*$`)},
	{Undo, pattern(`^(?:(?:undo|revert|take back|roll back|reverse)(?:\s+(?:it|that|this|everything|what you (?:just |have |have just )?(?:did|done|changed)|(?:the |that |this |my |your )?(?:last |latest )?(?:one|changes?|edits?|turn|step|move|rename|deletion)))?|(?:take|roll|put) (?:it|that|this) back|put it back)(?:,?\s*please)?[\s!.?]*$`)},
	{Tags, pattern(`^(?:(?:list|show|show me|what are|give me|which are)\s+)?(?:all\s+|all of\s+)?(?:my\s+|the\s+)?tags(?:\s+(?:do i (?:have|use)|are there|i use))?[\s?!.]*$|^(?:what|which) tags (?:do i (?:have|use)|are there|exist)[\s?!.]*$`)},
}

// talk recognises a clause about the conversation itself; polite is the clause without
// its polite words.
func talk(raw, polite string) (Command, bool) {
	for _, p := range talkPatterns {
		if p.re.MatchString(raw) || p.kind != Thanks && p.re.MatchString(polite) {
			return Command{Kind: p.kind}, true
		}
	}
	return Command{}, false
}
