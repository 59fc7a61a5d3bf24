package smallmodel

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"chatvault/internal/base/lazyregexp"
	"chatvault/tools"
)

// Unclear is a change of a kind that the words do not tell.
const Unclear tools.Wish = ""

// Request is a change that a message asks for.
type Request struct {
	Wish tools.Wish
	Text string // the part of the message that asks for it
}

// Requests returns the changes that a message asks for, in its order. A message that asks for none is a question or a
// topic: it is answered from passages, without tools. The words are those with which people begin such a request in
// English, German, French, Spanish, Italian, Portuguese and Dutch, and those that stand anywhere in one in Japanese,
// Chinese and Korean.
func Requests(message string) []Request {
	message = strings.TrimSpace(message)
	text := strings.ToLower(message)
	if out, ok := asianRequest(text, message); ok {
		return out
	}
	if len(text) != len(message) { // as in Turkish: no place in one is the same in the other
		message = text
	}
	text = quoted().ReplaceAllStringFunc(text, func(q string) string { return strings.Repeat(" ", len(q)) })
	if head, _, ok := strings.Cut(text, ": "); ok && len(requestsIn(head, message)) > 0 { // then comes the content of the request
		text = head
	}
	return requestsIn(text, message)
}

// RequestsIn returns the changes that a message in another language asks for, as its translation has them.
func RequestsIn(message, english string) []Request {
	if strings.ContainsAny(message, "?？") {
		return nil
	}
	out := Requests(english)
	for i := range out {
		out[i].Text = message
	}
	return out
}

// requestsIn returns the requests of a text, which is a message, or its beginning, in lower case and without quotations.
func requestsIn(text, message string) []Request {
	var out []Request
	from := 0
	for i, end := range append(clauseEnd().FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		clause, rest := text[from:end[0]], message[from:]
		from = end[1]
		words := strings.FieldsFunc(strings.ReplaceAll(clause, "un-", "un"), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' && r != '’' })
		for len(words) > 0 && slices.Contains(politeness, words[0]) {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if i == 0 && slices.Contains(questionWords, words[0]) && text[0] != ' ' { // ' ': a quotation stands before it
			return nil
		}
		verb := verbOf(words, i == 0)
		if n := len(out); verb != "" {
			out = append(out, Request{wish(verb, clause, text), rest})
			if n > 0 {
				out[n-1].Text = strings.TrimSpace(strings.TrimSuffix(out[n-1].Text, out[n].Text))
			}
		}
	}
	return out
}

// verbOf returns the verb of a clause that asks for a change; "" if it does not.
func verbOf(words []string, first bool) string {
	last := words[len(words)-1]
	switch {
	case words[0] == "call" && slices.Contains(words[:min(len(words), 3)], "note"): // "call the note Knee …"
		return "rename"
	case len(words) > 1 && words[0] == "check" && slices.Contains(questionWords, words[1]): // "check which year …"
		return ""
	case len(words) > 2 && words[0] == "it" && verbs()[words[1]+" "+words[2]] != nil: // "it should say …"
		return words[1] + " " + words[2]
	case len(words) > 1 && verbs()[words[0]+" "+words[1]] != nil:
		return words[0] + " " + words[1]
	case verbs()[words[0]] != nil:
		return words[0]
	case len(words) > 1 && verbs()[last+words[0]] != nil: // "Nenn die Notiz Knee in Knie um"
		return last + words[0]
	case first && len(words) > 1 && strings.HasSuffix(last, "en") && verbs()[last] != nil: // "Notiz Knee umbenennen"
		return last
	case slices.Contains(prepositions, words[0]): // "in the note A change …"
		for i, w := range words[1:min(len(words), placeWords)] {
			if verbs()[w] != nil {
				return w
			}
			if two := w + " " + words[min(i+2, len(words)-1)]; verbs()[two] != nil {
				return two
			}
		}
	}
	return ""
}

// placeWords is how far into a clause that names a place first its verb is looked for.
const placeWords = 12

// wish returns what a clause with such a verb asks for; text is the whole message.
func wish(verb, clause, text string) tools.Wish {
	w := *verbs()[verb]
	task, heading := taskWord().MatchString(clause), headingWord().MatchString(clause)
	tag, note := tagWord().MatchString(clause), newNote().MatchString(clause)
	for _, rule := range []struct {
		verb    tools.Wish
		holds   bool
		instead tools.Wish
	}{
		{tools.WishRemove, tag, tools.WishUntag},
		{tools.WishRemove, !partWord().MatchString(clause), tools.WishDelete},
		{tools.WishAdd, tag && !task, tools.WishTag},
		{tools.WishCreate, tag && !task, tools.WishTag},
		{tools.WishSet, tag && !task, tools.WishTag},
		{tools.WishAdd, note, tools.WishCreate},
		{tools.WishCreate, !note && task, tools.WishAdd},
		{tools.WishAdd, slices.Contains(placing, verb) && folderWord().MatchString(clause), tools.WishMove},
		{tools.WishAdd, dailyWord().MatchString(text), tools.WishDaily},
		{tools.WishTick, openAgain().MatchString(clause), tools.WishUntick},
		{tools.WishTick, !taskWord().MatchString(text) && propertyWord().MatchString(clause), tools.WishSet},
		{tools.WishSet, heading, tools.WishAdd},
		{tools.WishChange, sectionWord().MatchString(clause), tools.WishSection},
		{tools.WishRename, heading, tools.WishChange},
	} {
		if w == rule.verb && rule.holds {
			return rule.instead
		}
	}
	return w
}

var (
	quoted    = lazyregexp.New(`"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»`)
	clauseEnd = lazyregexp.New(`(?:[,;:!?.\n]\s*)*\s(?:and|then|so|und|dann|et|puis|y|luego|e|poi|en|daarna)\s|[,;:!?\n]\s*|\.\s+`)

	openAgain    = lazyregexp.New(`\b(?:as|to) (?:still )?(?:open|not done|undone|unfinished|incomplete|to-?do)\b|\b(?:open|undone) again\b|wieder (?:als )?offen`)
	tagWord      = lazyregexp.New(`\b(?:tags?|hashtags?|tagged|schlagw\w+|étiquettes?|etiquetas?|label)\b`)
	taskWord     = lazyregexp.New(`\b(?:tasks?|to-?dos?|aufgaben?|tâches?|tareas?|tarefas?|compito|taak)\b|タスク|任务`)
	headingWord  = lazyregexp.New(`\b(?:headings?|sections?|überschrift|abschnitt|titre|encabezado)\b`)
	sectionWord  = lazyregexp.New(`\b(?:everything|all|whole|entire|section|alles|abschnitt|tout|toda?|tutto)\b`)
	propertyWord = lazyregexp.New(`\b(?:propert\w+|status|rating|eigenschaft|propriété)\b`)
	dailyWord    = lazyregexp.New(`\b(?:daily|today's note|tagesnotiz|heutige notiz|note du jour|diaria|journal)\b`)
	newNote      = lazyregexp.New(`\b(?:new|an?|eine?|neue|une|nouvelle|una|nueva|uma|nova|nuova|een|nieuwe)\s(?:\S+\s){0,2}?(?:notes?|notiz|nota|page|seite|notitie)\b|\bnote (?:called|named|titled)\b`)
	partWord     = lazyregexp.New(`\b(?:from|out of|in|lines?|tasks?|words?|sentences?|paragraphs?|sections?|headings?|headers?|entry|item|aus|von|zeile|aufgabe|abschnitt|absatz|de la note|dans|ligne|tâche|propert\w+|línea|riga)\b`)
)

var (
	politeness = strings.Fields(`please pls kindly so just ok okay hey hi now then also can could would will should must you we i'd i want need like to let's lets
		bitte kannst könntest kannst du mal doch jetzt noch
		s'il te vous plaît plait peux-tu pourrais-tu pouvez-vous tu peux pourrais
		por favor puedes podrías puede per puoi potresti você pode alsjeblieft kun je kunt u`)

	questionWords = strings.Fields(`what what's which who who's whom whose when where why how is are was were do does did has have had am
		was welche welcher welches welchen wer wen wem wann wo warum wieso wie wieviel wohin woher ist sind hat habe hatte gibt
		que quel quelle quels quelles qui quand où pourquoi comment combien est-ce ai-je qu'est-ce
		qué quién quiénes cuándo dónde cómo cuántos cuál cuáles che chi quando dove perché come quanto quali quale
		quem onde quantos wat wie wanneer waar waarom hoe hoeveel welk`)

	// verbs that move a note if they name a folder, and add to one else
	placing = strings.Fields(`put mets mettez mettre pon metti zet have`)

	prepositions = strings.Fields(`in to into under on at from for with im in auf unter zu zum zur an von aus dans à au sous sur de en nella nel a`)
)

// verbs returns what the verbs with which requests begin ask for.
var verbs = sync.OnceValue(func() map[string]*tools.Wish {
	out := map[string]*tools.Wish{}
	for w, list := range map[tools.Wish]string{
		tools.WishAdd: `add append insert put write new jot record log remind capture note|that note|down note|it write|it link schedule postpone have|the link
			füge füg trag trage schreib schreibe notiere ergänze ergänz hinzufügen eintragen schreiben notieren ergänzen
			ajoute ajoutez écris écrivez ecris mets mettez ajouter écrire mettre note|que note|dans note|in
			añade agrega escribe pon aggiungi scrivi metti adiciona adicione acrescenta escreve voeg schrijf zet`,
		tools.WishCreate: `create make start|a open|a draft|a erstelle erstell leg lege erstellen anlegen
			crée créez cree créer crea cria crie maak`,
		tools.WishChange: `change update edit replace fix correct rewrite modify swap convert reschedule call|it
			änder ändere ersetz ersetze ändern ersetzen should|say should|read should|be
			change changez modifie modifiez remplace remplacez changer modifier remplacer
			cambia reemplaza sostituisci muda substitui verander vervang`,
		tools.WishSet: `set give save setz setze setzen imposta define définis establece`,
		tools.WishRemove: `remove delete erase drop clear strike take|out take|the get|rid cross|out throw|it throw|away throw|out trash lösch lösche entferne entfern streich streiche löschen
			entfernen streichen supprime supprimez efface effacez supprimer effacer borra elimina cancella apaga elimine verwijder`,
		tools.WishMove:   `move archive verschieb verschiebe verschieben déplace déplacez deplace déplacer mueve sposta move verplaats`,
		tools.WishRename: `rename umnenn umnenne benenne benenn umbenennen renomme renommez renommer renombra rinomina renomeia hernoem`,
		tools.WishTick: `tick check mark complete finish cross|off hak hake markier markiere abhaken markieren coche cochez cocher marque marquez
			marca segna marque vink`,
		tools.WishUntick: `untick uncheck unmark reopen décoche décochez`,
		tools.WishTag:    `tag`, tools.WishUntag: `untag`,
		Unclear: `copy merge split mach mache`,
	} {
		for _, verb := range strings.Fields(list) {
			out[strings.ReplaceAll(verb, "|", " ")] = &w
		}
	}
	return out
})

// asianWishes are words that ask for a change in Japanese, Chinese and Korean.
var asianWishes = []struct {
	wish  tools.Wish
	words func() *regexp.Regexp
}{
	{tools.WishRename, lazyregexp.New(`改名|名前を.*(?:変|し)|重命名|이름을`)},
	{tools.WishCreate, lazyregexp.New(`(?:ノート|メモ|笔记|노트).{0,6}(?:を作|作成|만들)|(?:创建|新建).{0,8}笔记`)},
	{tools.WishTag, lazyregexp.New(`(?:タグ|标签|태그).*(?:追加|加え|付け|添加|加上|추가)|(?:添加|加上).*标签`)},
	{tools.WishAdd, lazyregexp.New(`追加|加えて|書いて|書き込|記入|メモして|添加|加上|加入|写入|记下|추가해|적어`)},
	{tools.WishRemove, lazyregexp.New(`削除|消して|删除|删掉|삭제해|지워`)},
	{tools.WishMove, lazyregexp.New(`移動|移到|移动|옮겨|이동해`)},
	{tools.WishTick, lazyregexp.New(`完了に|チェック(?:を|入れ|し)|勾选|标记为?完成|체크해`)},
	{tools.WishSet, lazyregexp.New(`を.{1,20}に(?:して|変え|設定)|设为|设置`)},
	{tools.WishChange, lazyregexp.New(`変更|変えて|書き換え|置き換え|直して|改成|改为|修改|标记|替换|변경해|바꿔|수정해`)},
	{Unclear, lazyregexp.New(`作成|作って|创建|新建|만들어`)},
}

var asianQuestion = lazyregexp.New(`(?:ですか|ますか|したか|でしょうか|吗|么|呢|나요|까요|습니까)[?？。]?\s*$|^(?:いつ|どこ|誰|何|なぜ|どの|いくつ|什么|谁|哪|为什么|怎么|언제|누가|어디|무엇)`)

// asianRequest returns the change that a message in one of those languages asks for, in lower case and as written; ok is
// false if it is in none.
func asianRequest(text, message string) (out []Request, ok bool) {
	for _, a := range asianWishes {
		if !a.words().MatchString(text) {
			continue
		}
		switch {
		case asianQuestion().MatchString(text):
			return nil, true
		case a.wish == tools.WishRemove && !asianPart().MatchString(text):
			a.wish = tools.WishDelete
		case a.wish == tools.WishAdd && asianDaily().MatchString(text):
			a.wish = tools.WishDaily
		}
		return []Request{{a.wish, message}}, true
	}
	return nil, false
}

var (
	asianPart  = lazyregexp.New(`から|行|中的|里的|에서|줄`)
	asianDaily = lazyregexp.New(`今日のノート|デイリー|日记|日記|今天的笔记|오늘 노트`)
)
