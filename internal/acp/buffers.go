package acp

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	protocol "github.com/coder/acp-go-sdk"
)

// bufferWait bounds how long the editor is waited for when it is asked for a note's text.
const bufferWait = 5 * time.Second

// buffers are the editor's, as it holds them.
type buffers struct {
	chat *chat
	dir  string // the vault's
}

// Text asks the editor for a note's text. One that refuses has it not open, or does not know the file.
func (b *buffers) Text(ctx context.Context, path string) ([]byte, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, bufferWait)
	defer cancel()
	r, err := protocol.SendRequest[protocol.ReadTextFileResponse](b.chat.server.conn, ctx, protocol.ClientMethodFsReadTextFile, protocol.ReadTextFileRequest{
		SessionId: b.chat.id, Path: filepath.Join(b.dir, filepath.FromSlash(path)),
	})
	var refused *protocol.RequestError
	switch {
	case err == nil:
		return []byte(r.Content), true, nil
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case errors.As(err, &refused) && b.chat.server.connected():
		return nil, false, nil
	}
	return nil, false, errors.New("it is gone")
}

// connected says whether the editor is still there.
func (s *server) connected() bool {
	select {
	case <-s.conn.Done():
		return false
	default:
		return true
	}
}
