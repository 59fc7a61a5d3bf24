// Package failpoint names the places at which a test may end the program: the steps of a
// message's way, of a durable write, and each goroutine's rounds.
//
// In the program that is built for use, Pass does nothing and costs nothing. Built with the tag
// "failpoints" it reads the environment:
//
//	CHATVAULT_FAILPOINT       "kill NAME N" or "panic NAME N": at the Nth time that NAME is
//	                          passed the process is killed with SIGKILL, or the goroutine that
//	                          passes it panics. NAME may be *: any.
//	CHATVAULT_FAILPOINT_WHEN  a file: what is passed before it exists does not count
//	CHATVAULT_FAILPOINT_LOG   a file to which the name of each point that counts is appended
//	CHATVAULT_FAILPOINT_NAIVE set: files are written in place, without a temporary file and
//	                          without fsync, which is how the tests show that they would notice
package failpoint
