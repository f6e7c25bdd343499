// Package catalog decides what the bridge offers: it turns the descriptors of all backends into tools, resources, resource
// templates and prompts, once, and keeps the result as an immutable [Catalog] whose list pages are ready to be sent.
//
// What a thing is called and says comes from the configuration first, then from the options of bridge/v1/annotations.proto,
// then from standard annotations, comments and names.
//
// Methods of all four kinds are tools: see [Stream]. Resources and prompts are unary.
//
// One method that cannot be offered never takes others down. It becomes an [Omission], which names it and says why; so
// do what is hidden by configuration, everything that the descriptors themselves lack, and what options
// ask for in vain. What is offered depends on the set of descriptors and not on the order in which they were loaded: names,
// lists and digest are the same bytes again after a restart.
package catalog
