package index

// pending is what is known to have changed and was not looked at yet.
type pending struct {
	all     bool // anything may have changed
	folders map[string]*touched
	names   int
}

// touched is what changed about a folder.
type touched struct {
	self  bool            // its own times, mode or owner
	names map[string]bool // what changed in it; true: another thing may have the name now
}

// maxPending bounds the names kept; beyond it, everything is looked at.
const maxPending = 20_000

func (p *pending) empty() bool { return !p.all && len(p.folders) == 0 }

// everything notes that anything may have changed.
func (p *pending) everything() { *p = pending{all: true} }

// folder is what changed about a folder so far.
func (p *pending) folder(path string) *touched {
	t := p.folders[path]
	if t == nil {
		if p.folders == nil {
			p.folders = map[string]*touched{}
		}
		t = &touched{}
		p.folders[path] = t
		p.names++
	}
	return t
}

// add notes an event.
func (p *pending) add(e Event) {
	if p.all {
		return
	}
	if e.Op&Lost != 0 {
		p.everything()
		return
	}
	t := p.folder(e.Folder)
	if e.Op&Self != 0 {
		t.self = true
	}
	if e.Op&(Replaced|Modified) != 0 {
		if t.names == nil {
			t.names = map[string]bool{}
		}
		if _, known := t.names[e.Name]; !known {
			p.names++
		}
		t.names[e.Name] = t.names[e.Name] || e.Op&Replaced != 0
	}
	if p.names > maxPending {
		p.everything()
	}
}
