// No code. A module of its own stays out of chatvault's zip, which go install takes and which refuses some of
// these notes' names.
module chatvault/testdata/questions

go 1.26
