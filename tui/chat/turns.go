package chat

// opens is what an item knows of the turn that begins with it.
type opens struct{ turn string }

// Opens says which turn begins with the item, by its id, when it is recorded.
func (o *opens) Opens(turn string) { o.turn = turn }

// Turn is the id of the turn that begins with the item; empty where none does, or it is not recorded.
func (o *opens) Turn() string { return o.turn }
