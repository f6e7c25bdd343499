package catalog

// spareWatches takes the tools away of the methods by which resources are watched, unless an option or the configuration speaks
// of such a tool: streams that end when nobody listens any more are no use to call. It returns these methods.
func spareWatches(all []*made) []*made {
	watching := map[place]bool{}
	for _, m := range all {
		for _, r := range m.readings() {
			if r.Watch != nil {
				watching[place{m.source.Backend.Name(), r.Watch.FullName()}] = true
			}
		}
	}
	var spared []*made
	for _, m := range all {
		if m.tool != nil && m.own == nil && watching[m.place()] {
			m.tool = nil
			spared = append(spared, m)
		}
	}
	return spared
}

// readings are those of the resources and templates of an offer.
func (o *offer) readings() []*Reading {
	var all []*Reading
	for _, r := range o.resources {
		all = append(all, r.Reading)
	}
	for _, t := range o.templates {
		all = append(all, t.Reading)
	}
	return all
}

// idle tells of methods that are no tools for a resource that is not offered after all.
func (c *Catalog) idle(spared []*made) {
	serving := map[place]bool{}
	for _, r := range c.readings() {
		if r.Watch != nil {
			serving[place{r.Backend.Name(), r.Watch.FullName()}] = true
		}
	}
	for _, m := range spared {
		if !serving[m.place()] {
			c.omitted = append(c.omitted, m.omission("it watches a resource that is not offered; set tool to have it called", Deficient))
		}
	}
}
