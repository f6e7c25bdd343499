package backend

// SameAs reports whether calls of both go over one connection by one configuration: they have the same name and the same
// Config.Origin. Those that a reload makes anew differ in the descriptors alone.
func (b *Backend) SameAs(other *Backend) bool {
	return b.config.Name == other.config.Name && b.config.Origin == other.config.Origin
}
