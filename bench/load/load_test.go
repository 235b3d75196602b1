package load_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/bench/load"
)

// The histogram answers like a sorted list, within its buckets' width.
func TestHistogramAgainstASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Minute)), 1, 200).Draw(t, "values")
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		var halves [2]load.Histogram
		for i, v := range values {
			halves[i%2].Add(time.Duration(v))
		}
		halves[0].Merge(&halves[1])
		slices.Sort(values)
		want := values[max(0, int(share*float64(len(values))+0.5)-1)]
		got := int64(halves[0].Quantile(share))
		if got < want || float64(got) > float64(want)*1.016+1 {
			t.Fatalf("quantile %v of %v: got %d, want %d or up to 1.6%% more", share, values, got, want)
		}
	})
}

func TestHistogramAtItsEnds(t *testing.T) {
	var h load.Histogram
	if h.Quantile(0.99) != 0 || h.Count() != 0 {
		t.Error("an empty histogram knows a latency")
	}
	h.Add(-time.Second)
	h.Add(1000 * time.Hour)
	if h.Quantile(0) != 0 || h.Quantile(1) < 18*time.Minute || h.Count() != 2 {
		t.Errorf("got %v to %v of %d", h.Quantile(0), h.Quantile(1), h.Count())
	}
}

// counting notes which services the health check was asked about.
type counting struct {
	*health.Server
	asked [4]atomic.Uint64
	fail  bool
}

func (c *counting) Check(ctx context.Context, r *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	if c.fail {
		return nil, status.Error(codes.Unavailable, "no room")
	}
	if name := r.GetService(); name != "" {
		c.asked[int(name[0]-'0')%len(c.asked)].Add(1)
	}
	return c.Server.Check(ctx, &healthpb.HealthCheckRequest{})
}

func serve(t *testing.T, c *counting) *load.Generator {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	healthpb.RegisterHealthServer(s, c)
	go func() { _ = s.Serve(l) }()
	g, err := load.Dial(t.Context(), l.Addr().String(), 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close(); s.Stop() })
	return g
}

// Every request that Next made was sent, and every answer counted by its kind.
func TestEveryRequestIsSentAndEveryAnswerCounted(t *testing.T) {
	c := &counting{Server: health.NewServer()}
	g := serve(t, c)
	r, err := g.Run(t.Context(), load.Spec{
		Method: healthpb.Health_Check_FullMethodName, Callers: 3, Duration: 50 * time.Millisecond, From: 2,
		Next: func(b []byte, n uint64) []byte {
			return protowire.AppendString(protowire.AppendTag(b, 1, protowire.BytesType), string(rune('0'+n%4)))
		},
		Kind: func(answer []byte) (int, error) { return int(answer[1]), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	sent := uint64(0)
	for i := range c.asked {
		sent += c.asked[i].Load()
	}
	if sent == 0 || r.Answers() != sent || r.Next != 2+sent || r.Kinds[healthpb.HealthCheckResponse_SERVING] != sent {
		t.Errorf("the service saw %d; the run counted %d answers, %v, and goes on at %d", sent, r.Answers(), r.Kinds, r.Next)
	}
}

// Over HTTP too, every request is sent whole and every body read.
func TestHTTP(t *testing.T) {
	var seen atomic.Uint64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); string(body) != "ask" {
			w.WriteHeader(http.StatusTeapot)
		}
		seen.Add(1)
		_, _ = w.Write(bytes.Repeat([]byte("x"), 3000))
	}))
	defer s.Close()
	ask := func(length int) load.Spec {
		return load.Spec{
			Callers: 3, Duration: 50 * time.Millisecond,
			Next: func(b []byte, _ uint64) []byte {
				return fmt.Appendf(b, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", length, "ask"[:length])
			},
			Kind: func(body []byte) (int, error) { return len(body) / 1000, nil },
		}
	}
	r, err := load.RunHTTP(t.Context(), s.Listener.Addr().String(), ask(3))
	if err != nil || r.Answers() == 0 || r.Answers() != seen.Load() || r.Kinds[3] != r.Answers() {
		t.Errorf("the service saw %d; the run counted %v, %v", seen.Load(), r.Kinds, err)
	}
	if _, err := load.RunHTTP(t.Context(), s.Listener.Addr().String(), ask(2)); err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("got %v, want the status", err)
	}
}

func TestAFailedCallFailsTheRun(t *testing.T) {
	spec := load.Spec{Method: healthpb.Health_Check_FullMethodName, Callers: 4, Duration: time.Hour}
	if _, err := serve(t, &counting{Server: health.NewServer(), fail: true}).Run(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("got %v, want the service's error", err)
	}
	odd := errors.New("an odd answer")
	spec.Kind = func([]byte) (int, error) { return 0, odd }
	if _, err := serve(t, &counting{Server: health.NewServer()}).Run(t.Context(), spec); !errors.Is(err, odd) {
		t.Errorf("got %v, want %v", err, odd)
	}
}
