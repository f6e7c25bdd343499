// Package catalog decides what the bridge offers: it turns the descriptors of all backends into tools, once, and keeps
// the result as an immutable [Catalog] whose list pages are ready to be sent.
//
// One method that cannot be offered never takes others down. It becomes an [Omission], which names it and says why; so
// do streaming methods, what is hidden by configuration, and everything that the descriptors themselves lack. What is
// offered depends on the set of descriptors and not on the order in which they were loaded: names, lists and digest are
// the same bytes again after a restart.
package catalog
