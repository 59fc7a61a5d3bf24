package provider

// ModelSource is somebody who has models.
type ModelSource struct {
	ID    string
	Title string
	// Choices are known without asking.
	Choices []ModelChoice
	// Asks says that List is to be called.
	Asks bool
	// Key is what the source's key is called, where one can be typed; Keyed says that there is one,
	// Lacks that nothing can be asked before there is.
	Key          string
	Keyed, Lacks bool
}

// ModelChoice is a model that can be chosen.
type ModelChoice struct {
	Name  string // what Models.Use takes
	Label string // Name where it is empty
	About string // how much it takes, what it costs
	Short string // of About, where there is less room
	Here  bool   // it is the present one
}

// ModelUsed is the model that was taken.
type ModelUsed struct {
	Name    string // for the header
	Offline bool   // it is the embedded engine
	Said    string // what to tell beside that it was taken; may be empty
}
