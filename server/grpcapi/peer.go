package grpcapi

import (
	"context"
	"fmt"
	"net"
	"os/user"
	"strconv"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/peer"
)

// localCredentials is plain text that also notes, on a unix socket, which account is at
// the other end: the operating system knows, and nothing that is sent can change it.
type localCredentials struct {
	credentials.TransportCredentials
}

func newLocalCredentials() localCredentials { return localCredentials{insecure.NewCredentials()} }

// account is who is at the other end of a unix socket.
type account struct {
	credentials.CommonAuthInfo
	uid uint32
}

// AuthType names the kind of account.
func (account) AuthType() string { return "os" }

// ServerHandshake sends nothing.
func (c localCredentials) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := c.TransportCredentials.ServerHandshake(conn)
	if local, ok := conn.(*net.UnixConn); ok && err == nil {
		if uid, known := peerUID(local); known {
			level := credentials.CommonAuthInfo{SecurityLevel: credentials.NoSecurity}
			return conn, account{level, uid}, nil
		}
	}
	return conn, info, err
}

// Clone returns the same.
func (c localCredentials) Clone() credentials.TransportCredentials { return c }

// callingAccount is who calls over a unix socket; false for everyone else.
func callingAccount(ctx context.Context) (account, bool) {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return account{}, false
	}
	a, ok := p.AuthInfo.(account)
	return a, ok
}

// name is the account's, or its number where it has none here.
func (a account) name() string {
	if u, err := user.LookupId(strconv.FormatUint(uint64(a.uid), 10)); err == nil {
		return u.Username
	}
	return fmt.Sprintf("uid %d", a.uid)
}
