package atomicfile

import (
	"os"
	"time"

	"chatvault/internal/failpoint"
)

// naive writes as one does who knows nothing of crashes: in place, in two parts, without fsync.
// Only a program that is built with failpoints, and asked to, writes so: it shows that the tests
// that kill the program notice when writing is not durable.
func naive(root *os.Root, temp string, f *os.File, name string, data []byte, perm os.FileMode) error {
	_ = f.Close()
	_ = root.Remove(temp)
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	if _, err := out.Write(data[:len(data)/2]); err != nil {
		return err
	}
	failpoint.Pass("file naive write")
	time.Sleep(time.Millisecond) // as a slow disk takes it
	_, err = out.Write(data[len(data)/2:])
	return err
}
