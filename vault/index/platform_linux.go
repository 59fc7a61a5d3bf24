package index

// eachCosts: a watched folder costs one watch, whatever is in it.
const eachCosts = false

// Platform is the watcher of this system.
func Platform(dir string) (Watcher, error) { return newInotify(dir) }
