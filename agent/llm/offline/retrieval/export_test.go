package retrieval

// ParseMeta reads what a note says about itself.
var ParseMeta = parseMeta
