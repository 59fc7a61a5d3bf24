package dialog

// Choice is one way to decide.
type Choice struct {
	Label  string
	Short  string // where there is no room for Label; may be empty
	Result any
	Key    string // the letter that does the same while nothing is written; "": none (Reader, Approval)
	Note   bool   // asks for a note first (Approval)
	Pick   bool   // asks which parts first (Approval)
	Safe   bool   // changes nothing: what is marked where nothing else may be by chance
	Stays  bool   // the dialog stays open below what comes of it (Reader)
}
