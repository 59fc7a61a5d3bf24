package tui

// exploring is what goes on while the user moves about in the transcript.
type exploring struct {
	selectedKeys selectedKeyMap
	findKeys     findKeyMap
	copiedCode   copying
	codeSeen     codeSeen
	find         find
	pointing     pointing
}
