package server

import (
	"maps"
	"slices"
	"strconv"

	"github.com/writ-dev/writ/decisions"
)

// digests are what an entry keeps of that which may be personal: only digests under the
// log's key, for a plain hash of an amount or an address is a dictionary (R35).
type digests struct {
	request                          decisions.Hash
	arguments, target, scope, labels digest
}

// digest is of something that a call may leave out.
type digest struct {
	sum  decisions.Hash
	said bool
}

// bytes is nil where nothing was said.
func (d *digest) bytes() []byte {
	if !d.said {
		return nil
	}
	return d.sum[:]
}

func (d *Decider) digest(j *judgement) digests {
	c := j.call
	all := digests{request: d.digests.Sum("request", j.request[:]), arguments: d.digestArguments(&c.Arguments)}
	if c.Target != "" {
		all.target = digest{d.digests.SumText("target", c.Target), true}
	}
	if c.Scope != nil {
		all.scope = digest{d.digests.SumText("scope", c.Scope.Selection, strconv.FormatInt(c.Scope.Count, 10)), true}
	}
	if len(c.Labels) > 0 {
		parts := make([]string, 0, 2*len(c.Labels))
		for _, k := range slices.Sorted(maps.Keys(c.Labels)) {
			parts = append(parts, k, c.Labels[k])
		}
		all.labels = digest{d.digests.SumText("labels", parts...), true}
	}
	return all
}

// digestArguments is over the canonical arguments, or over their digest where only that
// was sent.
func (d *Decider) digestArguments(a *decisions.Arguments) digest {
	switch a.Kind {
	case decisions.ArgumentsJSON:
		canonical, err := a.Canonical()
		return digest{d.digests.Sum("arguments", canonical), err == nil}
	case decisions.ArgumentsDigest:
		return digest{d.digests.Sum("arguments-digest", a.Digest[:]), true}
	case decisions.ArgumentsOmitted:
	}
	return digest{}
}
