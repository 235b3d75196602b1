package server

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/catalog"
	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	"github.com/writ-dev/writ/rego"
)

// Active is what judges: one policy and one catalogue, both immutable.
type Active struct {
	Policy  *rego.Policy
	Catalog *catalog.Catalog
	// Since is when both became active.
	Since time.Time

	stages []string // the policy's, which copies them at each call
}

// Actor is who changes what judges.
type Actor struct {
	Name string
	// By says how that is known: "os", or the authentication's name.
	By string
}

// Options of a Decider. All fields but Now are required.
type Options struct {
	Ledger  Ledger
	Digests *decisions.DigestKey
	// Now is the clock; nil is the machine's.
	Now func() time.Time
}

// New returns a Decider that refuses to decide until Activate was called.
func New(o Options) (*Decider, error) {
	if o.Ledger == nil || o.Digests == nil {
		return nil, errors.New("a decider needs a ledger and its digest key")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Decider{ledger: o.Ledger, digests: o.Digests, observed: &Observed{}, now: o.Now}, nil
}

// Active returns what judges now.
func (d *Decider) Active() *Active { return d.active.Load() }

// Activate makes a policy and a catalogue judge, once the log says so (R33). Their
// files are durable before the entries that name them.
func (d *Decider) Activate(p *rego.Policy, c *catalog.Catalog, by Actor) error {
	actor := &ledgerv1.Actor{Name: by.Name, By: by.By}
	var policy, documents []*ledgerv1.File
	for _, f := range p.Files() {
		if err := d.keep(&policy, f.Path, f.Content); err != nil {
			return fmt.Errorf("policy %s: %w", p.Revision(), err)
		}
	}
	for _, f := range c.Files() {
		if err := d.keep(&documents, f.Path, f.Data); err != nil {
			return fmt.Errorf("catalogue %s: %w", c.Revision(), err)
		}
	}
	policy, policyList, err := d.list(policy)
	if err != nil {
		return fmt.Errorf("policy %s: %w", p.Revision(), err)
	}
	documents, documentList, err := d.list(documents)
	if err != nil {
		return fmt.Errorf("catalogue %s: %w", c.Revision(), err)
	}
	entries := []*ledgerv1.Entry{
		{Body: &ledgerv1.Entry_PolicyActivated{PolicyActivated: &ledgerv1.PolicyActivated{
			Actor: actor, Revision: p.Revision(), Files: policy, FilesSha256: policyList}}},
		{Body: &ledgerv1.Entry_CatalogActivated{CatalogActivated: &ledgerv1.CatalogActivated{
			Actor: actor, Revision: c.Revision(), Files: documents, FilesSha256: documentList}}},
	}
	proposals := make([]decisions.Proposal, len(entries))
	for i, e := range entries {
		var err error
		if proposals[i].Body, err = proto.Marshal(e); err != nil {
			return err
		}
	}
	if _, err := d.ledger.AppendAll(proposals); err != nil {
		return fmt.Errorf("the activation could not be logged, so nothing changed: %w", err)
	}
	d.active.Store(&Active{Policy: p, Catalog: c, Since: d.now(), stages: p.Stages()})
	return nil
}

// maxInlineFiles is the most bytes of a list that an entry holds itself.
const maxInlineFiles = 32 << 10

// list returns what the entry lists itself, or the blob that holds a longer list.
func (d *Decider) list(files []*ledgerv1.File) (inline []*ledgerv1.File, blob string, err error) {
	content, err := proto.MarshalOptions{Deterministic: true}.Marshal(&ledgerv1.FileList{Files: files})
	if err != nil || len(content) <= maxInlineFiles {
		return files, "", err
	}
	blob, err = d.ledger.PutBlob(content)
	return nil, blob, err
}

// keep stores one file as a blob and adds it to the list that the entry names.
func (d *Decider) keep(files *[]*ledgerv1.File, path string, content []byte) error {
	sum, err := d.ledger.PutBlob(content)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	*files = append(*files, &ledgerv1.File{Path: path, Sha256: sum})
	return nil
}
