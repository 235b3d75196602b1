package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/proto"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// A service that is asked the same thing again and again shows only its memory.
func TestPlainCallsDiffer(t *testing.T) {
	at := siteOf(plainEstate())
	seen, refused := map[string]bool{}, 0
	for i := range 5000 {
		call, err := at.plain(i)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(call.GetArgumentsJson()); n < 250 || n > 400 {
			t.Fatalf("call %d has %d bytes of arguments, want about 300", i, n)
		}
		if call.GetToolsetFingerprint() == changed {
			refused++
		}
		seen[call.GetArgumentsJson()] = true
	}
	if len(seen) != 5000 || refused != 50 {
		t.Errorf("%d different calls and %d changed fingerprints, want 5000 and 50", len(seen), refused)
	}
}

// ghz reads each message behind its length as a varint, which is protodelim's form.
func TestCallsAreDelimited(t *testing.T) {
	at := siteOf(plainEstate())
	file := filepath.Join(t.TempDir(), "calls")
	if err := at.writeCalls(file, 3); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(bytes.NewReader(content))
	for i := range 4 {
		var got writv1.DecideRequest
		err := protodelim.UnmarshalFrom(r, &got)
		if i == 3 {
			if !errors.Is(err, io.EOF) {
				t.Fatalf("after the last call: %v, want the end", err)
			}
			return
		}
		if want, _ := at.plain(i); err != nil || !proto.Equal(&got, want) {
			t.Fatalf("call %d: %v, %v", i, err, &got)
		}
	}
}

// The mix is what it says: a tenth pays an amount that a rule reads, a hundredth comes
// with another list, a twentieth carries a key, and two of five keys are repeats of
// the same call. Few tools and automations are asked for often, and many at all.
func TestTheMixHasItsShares(t *testing.T) {
	const calls = 30_000
	next, err := siteOf(mixEstate()).mixSource(calls)
	if err != nil {
		t.Fatal(err)
	}
	paid, refused, keys, repeats := 0, 0, map[string]*writv1.DecideRequest{}, 0
	tools, automations := map[string]int{}, map[string]int{}
	for i := range calls {
		call := decoded(t, next, i)
		tools[call.GetTool()]++
		automations[call.GetAutomation()]++
		if bytes.Contains([]byte(call.GetArgumentsJson()), []byte(`"amount"`)) {
			paid++
		}
		if call.GetToolsetFingerprint() == changed {
			refused++
		}
		if key := call.GetIdempotencyKey(); key != "" {
			if first := keys[key]; first != nil {
				repeats++
				if !proto.Equal(first, call) {
					t.Fatalf("key %s was used for another call (R27)", key)
				}
			}
			keys[key] = call
		}
	}
	for name, c := range map[string]struct{ got, want int }{
		"paying calls": {paid, calls / 10}, "changed lists": {refused, calls / 100},
		"new keys": {len(keys), calls * (keyed - repeated) / 100}, "repeats": {repeats, calls * repeated / 100},
	} {
		if math.Abs(float64(c.got-c.want)) > 0.15*float64(c.want) {
			t.Errorf("%d %s, want about %d", c.got, name, c.want)
		}
	}
	if most := slices.Max(values(automations)); most < calls/20 || len(automations) < 500 {
		t.Errorf("of %d automations the busiest makes %d of %d calls: this is not Zipf's law", len(automations), most, calls)
	}
	if most := slices.Max(values(tools)); most < calls/50 || len(tools) < 2000 {
		t.Errorf("of %d tools the busiest has %d of %d calls: this is not Zipf's law", len(tools), most, calls)
	}
}

func values(counts map[string]int) []int {
	var all []int
	for _, n := range counts {
		all = append(all, n)
	}
	return all
}

// A key of one turn through the calls is not one of the next turn, or a long run would
// send nothing but repeats.
func TestKeysAreNewInEachTurn(t *testing.T) {
	next, err := siteOf(mixEstate()).mixSource(1000)
	if err != nil {
		t.Fatal(err)
	}
	first, second := decoded(t, next, 0), decoded(t, next, 1000)
	if first.GetIdempotencyKey() == "" || first.GetIdempotencyKey() == second.GetIdempotencyKey() ||
		first.GetArgumentsJson() != second.GetArgumentsJson() {
		t.Errorf("keys %q and %q", first.GetIdempotencyKey(), second.GetIdempotencyKey())
	}
}

func TestInTheWorstCaseNothingRepeats(t *testing.T) {
	e := mixEstate()
	next, err := siteOf(e).worstSource()
	if err != nil {
		t.Fatal(err)
	}
	seen, tools := map[string]bool{}, map[string]bool{}
	for i := range 2 * e.Tools {
		call := decoded(t, next, i)
		seen[call.GetArgumentsJson()], seen[call.GetSession()], seen[call.GetTarget()] = true, true, true
		tools[call.GetTool()] = true
	}
	if len(seen) != 6*e.Tools || len(tools) != e.Tools {
		t.Errorf("%d different values and %d tools, want %d and %d", len(seen), len(tools), 6*e.Tools, e.Tools)
	}
}

func TestABatchHoldsItsCalls(t *testing.T) {
	at := siteOf(plainEstate())
	next, err := at.batchSource(2, 3)
	if err != nil {
		t.Fatal(err)
	}
	var got writv1.BatchDecideRequest
	if err := proto.Unmarshal(next(nil, 5), &got); err != nil {
		t.Fatal(err)
	}
	if want, _ := at.plain(3); len(got.GetRequests()) != 3 || !proto.Equal(got.GetRequests()[0], want) {
		t.Errorf("the sixth of two batches by turns holds %v", &got)
	}
}

// Where there are enough releases, every tool has one that uses it.
func TestEveryToolIsUsed(t *testing.T) {
	for _, c := range []struct {
		estate estate
		used   int
	}{{plainEstate(), 100}, {mixEstate(), 10_000}, {estate{Tools: 10, Automations: 4}, 10}, {estate{Tools: 250, Automations: 40}, 250}} {
		all := c.estate.allUses()
		if len(all) != c.used {
			t.Errorf("%+v: %d tools are used, want %d", c.estate, len(all), c.used)
		}
		for _, u := range all {
			if !slices.Contains(c.estate.usedBy(u.automation, u.server), u.tool) || u.tool/perServer != u.server {
				t.Fatalf("%+v: %+v is no use", c.estate, u)
			}
		}
	}
}
