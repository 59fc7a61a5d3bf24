// Package failpoint marks the points at which a test can crash the program: the steps in processing a message
// and in a durable write, and the iterations of each goroutine.
//
// In normal builds, Pass does nothing. With the build tag "failpoints" it reads these environment variables:
//
//	CHATVAULT_FAILPOINT       "kill NAME N" or "panic NAME N": the Nth pass of point NAME kills the
//	                          process with SIGKILL, or panics. NAME may be * for any point.
//	CHATVAULT_FAILPOINT_WHEN  path of a file; passes before it exists do not count
//	CHATVAULT_FAILPOINT_LOG   path of a file; the name of each point that counts is appended to it
//	CHATVAULT_FAILPOINT_NAIVE if not empty, files are written in place without a temporary file and fsync,
//	                          so that tests can prove that they detect lost writes
package failpoint
