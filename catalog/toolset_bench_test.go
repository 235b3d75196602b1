package catalog

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// largeList is a list of 401 tools and about 360 KB, like the largest seen.
func largeList() []byte {
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range 401 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"resource_%d_update","title":"Update resource %d","description":"Updates one resource of kind %d. `+
			`Give its id and the fields to change; fields that are not given stay as they are. Returns the new state of the resource.",`+
			`"inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{`+
			`"id":{"type":"string","description":"The id of the resource","pattern":"^[a-z0-9-]{1,64}$"},`+
			`"size":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991,"description":"How large it is"},`+
			`"mode":{"type":"string","enum":["fast","safe","none"],"default":"safe","description":"How to do it"},`+
			`"labels":{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":["string","null"]}},`+
			`"required":["key","value"],"additionalProperties":false},"description":"Labels to set on it"}},`+
			`"required":["id","mode"],"additionalProperties":false},"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true}}`, i, i, i)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func BenchmarkParseToolSet(b *testing.B) {
	list := largeList()
	b.SetBytes(int64(len(list)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseToolSet(list); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkToolSetRatio reads the list and decodes it plainly by turns, so that both
// meet the same machine, and reports the median of their ratios. It fails above 3.
func BenchmarkToolSetRatio(b *testing.B) {
	const most = 3
	list := largeList()
	var ratios []float64
	for b.Loop() {
		began := time.Now()
		if _, err := ParseToolSet(list); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		decodeAndSum(b, list)
		ratios = append(ratios, float64(between.Sub(began))/float64(time.Since(between)))
	}
	slices.Sort(ratios)
	ratio := ratios[len(ratios)/2]
	b.ReportMetric(ratio, "x-plain-decode")
	if len(ratios) > 10 && ratio > most {
		b.Errorf("a list of 401 tools takes %.2f times a plain decode and SHA-256, want at most %d", ratio, most)
	}
}

// BenchmarkDecodeAndSum is what ParseToolSet is measured by: a plain decode of the
// same bytes, and their SHA-256.
func BenchmarkDecodeAndSum(b *testing.B) {
	list := largeList()
	b.SetBytes(int64(len(list)))
	b.ReportAllocs()
	for b.Loop() {
		decodeAndSum(b, list)
	}
}

func decodeAndSum(b *testing.B, list []byte) {
	var v any
	if err := json.Unmarshal(list, &v); err != nil {
		b.Fatal(err)
	}
	sha256.Sum256(list)
}
