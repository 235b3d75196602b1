package grpcapi

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerUID asks the kernel, which noted it when the socket was connected (unix(7)).
func peerUID(conn *net.UnixConn) (uid uint32, known bool) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = raw.Control(func(fd uintptr) {
		if peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			uid, known = peer.Uid, true
		}
	})
	return uid, known && err == nil
}
