package offline

// Citations is for the tests of answers.
var Citations = citations
