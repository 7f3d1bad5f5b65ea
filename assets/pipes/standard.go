package pipes

import (
	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store"
)

// StandardOptions configure the plan of Standard.
type StandardOptions struct {
	Disk    map[string]Fetcher // by scheme: those that read files
	Network map[string]Fetcher // by scheme: those that wait for other machines
	Cache   *store.Cache       // if not nil, keeps what was decoded
	By      map[string]Decoder // default Decoders()
	Limits  Limits
}

// Standard returns the usual plan: resolve, select, recall, fetch, fetch from the network, verify,
// unpack, decode, remember, dependencies, link. What is not configured is left out.
func Standard(o StandardOptions) []assets.Pipe {
	d := DecodeOptions{By: o.By, Limits: o.Limits}
	plan := []assets.Pipe{assets.Resolve(), assets.Select()}
	var built *Built
	if o.Cache != nil {
		built = NewBuilt(o.Cache, d)
		plan = append(plan, built.Recall())
	}
	if o.Disk != nil {
		plan = append(plan, Fetch(FetchOptions{By: o.Disk, Limits: o.Limits}))
	}
	if o.Network != nil {
		plan = append(plan, Fetch(FetchOptions{Name: "fetch from the network", Lane: assets.Network,
			By: o.Network, Limits: o.Limits}))
	}
	plan = append(plan, Verify(), Unpack(o.Limits), Decode(d))
	if built != nil {
		plan = append(plan, built.Remember())
	}
	return append(plan, assets.Dependencies(), Link())
}
