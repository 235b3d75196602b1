//go:build !linux

package grpcapi

import "net"

// peerUID knows nobody here, so that nobody is taken for the operator.
func peerUID(*net.UnixConn) (uid uint32, known bool) { return 0, false }
